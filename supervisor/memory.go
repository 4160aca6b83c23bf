package supervisor

import "time"

// MemorySource is a message that a fact goes by.
type MemorySource struct {
	Message  int64
	Origin   Origin
	Words    string // of the person's
	At       time.Time
	Material bool // the model has read what is not the person's own words in that conversation
}

// ForgottenFact is a fact that is not taken up again.
type ForgottenFact struct {
	ID      string
	Text    string
	Message int64 // that it went by; 0 is none
}
