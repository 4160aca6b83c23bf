package supervisor

import "mews/protocol"

// What is said of prompt files that wait for their person.
const (
	// TextPromptFileAccept, TextPromptFileBack and TextDiffButton are below it; the others with the
	// file's name where it is of several.
	TextPromptFileAccept = "Accept"
	TextPromptFileBack   = "Put back"

	textPromptFileOf   = "%s: %s"
	textPromptFileWhat = "It counts once you accept it."
	textPromptFileLink = "I follow no link and read no folder there: put it back, or put a file in its place."
)

// pendingTexts say what has happened to a file, by why it waits.
var pendingTexts = map[PendingReason]string{
	PendingTurn:    "%s was changed while I worked.",
	PendingGit:     "%s is as git has put it there.",
	PendingForeign: "%s is where another account can write, or a link.",
}

// pendingStates say what is in a file's place, where that is no file.
var pendingStates = map[protocol.FileState]string{
	protocol.FileAbsent: "%s was deleted while I worked.",
}
