package instructions

import (
	"mews/protocol"
	"mews/supervisor"
)

// Notices about prompt files that wait for a decision.
const (
	textDiff   = "Show diff"
	textAccept = "Accept"
	textBack   = "Put back"
	textOf     = "%s: %s" // the label of a button: the file's name and the action

	textWhat = "It is in force once you accept it."
	textLink = "I follow no links and read no folders there. Put the old file back, or put a new file there."
)

// textsReason say why a file waits for a decision.
var textsReason = map[supervisor.PendingReason]string{
	supervisor.PendingReasonChangedInTurn: "%s was changed while I worked.",
	supervisor.PendingReasonChangedByGit:  "%s was changed by git.",
	supervisor.PendingReasonOtherAccount:  "%s is a link, or another account can write there.",
}

// textsState describe the state of a path without a regular file.
var textsState = map[protocol.FileState]string{
	protocol.FileStateAbsent: "%s was deleted while I worked.",
}
