package undo

// What a person reads of changes that can't be taken back.
const (
	textForeign   = "This button does nothing here: it belongs to another person."
	textPartNever = "another change of it can't be taken back"
	textTooMany   = "That answer has %d changes of files, and at most %d can be taken back together."
	textFailed    = "Your files could not be seen to: %s"
)
