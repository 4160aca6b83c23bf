package supervisor

import (
	"time"

	"mews/protocol"
)

// Sending is how something that a person sent has come.
type Sending struct {
	At        time.Time // in the person's time zone
	In        Conversation
	Voice     bool // spoken
	File      bool // with files that are no speech
	Forwarded bool
	Edited    bool // it is not as it was at first
	Pressed   bool // by a button
	Scheduled bool // by a job of theirs
}

// RecapLine is something that was said in another conversation.
type RecapLine struct {
	At   string // when and where
	Role protocol.Role
	Text string
}
