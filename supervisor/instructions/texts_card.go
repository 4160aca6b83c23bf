package instructions

import (
	"mews/protocol"
	"mews/supervisor"
)

// What a person reads of files that wait for them.
const (
	textDiff   = "Show diff"
	textAccept = "Accept"
	textBack   = "Put back"
	textOf     = "%s: %s" // the file, and what a button does

	textWhat = "It counts once you accept it."
	textLink = "I follow no link and read no folder there: put it back, or put a file in its place."
)

// textsReason say what has happened to a file, by why it waits.
var textsReason = map[supervisor.PendingReason]string{
	supervisor.PendingTurn:    "%s was changed while I worked.",
	supervisor.PendingGit:     "%s is as git has put it there.",
	supervisor.PendingForeign: "%s is where another account can write, or a link.",
}

// textsState say what is in a file's place, where that is no file.
var textsState = map[protocol.FileState]string{
	protocol.FileAbsent: "%s was deleted while I worked.",
}
