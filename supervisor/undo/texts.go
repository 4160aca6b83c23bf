package undo

// Reasons why changes can't be taken back, and buttons below an answer.
const (
	textForeign   = "This button does nothing here: it belongs to another person."
	textPartNever = "another change to it can't be taken back"
	textTooMany   = "That answer has %d changes of files, and at most %d can be taken back together."
	textFailed    = "I could not reach your files: %s"

	textUndoButton = "Undo"
	// TextDiffButton is the text of the button that shows the changes.
	TextDiffButton = "Show diff"
	textNever      = "; can't be undone: %s"
)

// Notes to the model about undone changes.
const (
	textTold             = "[The user has undone your change to %s.]\n"
	textToldAgain        = "[The user has restored your change to %s.]\n"
	textToldProgram      = "[The user has undone what your program changed: %s.]\n"
	textToldProgramAgain = "[The user has restored what your program changed: %s.]\n"
	textToldMore         = "%d more files"
	textToldMorePrograms = "%d more programs"
)

// Answers of /undo.
const (
	textShow      = "show" // the argument of /undo that shows the diff
	textBack      = "back" // the argument of /undo that takes back the last undo
	textUndoUsage = "I do not know %s. Write /undo, “/undo 2” for the answer before the last one, " +
		"“/undo show”, or “/undo back”."
	textNothingToRedo = "No /undo can be taken back here. I can take one back for up to 7 days."
	// the answer to a command that runs again after a crash
	textUndoneBefore  = "I have done that already, before a restart. “/undo back” takes back the last /undo."
	textRedoHint      = "“/undo back” takes back the last /undo."
	textNothingToUndo = "There is nothing to take back here. I can undo my changes to your files for up to " +
		"7 days."
	textFewerToUndo = "Fewer answers than that changed files or ran programs. /undo takes back the changes of" +
		" the last one."
	textUndoEarlier = "To take back the changes of an earlier answer, write /undo with a number. 2 is the one " +
		"before the last."
	textLeftAlone   = "Left as it is."
	textUndoAgain   = "Take this back"
	textUndoAnyway  = "Put back anyway"
	textLeave       = "Leave"
	textWholeFolder = "changes of a program in a folder with too many files to list"
	textMoreFiles   = "and %s more"
	textDiffInGroup = "I don't show the diff here, because everybody would read it. " +
		"In our private chat, /undo shows only the changes that I made there."
	textNoDiff      = "Nothing differs any more."
	textLongDiff    = "These are the changes."
	textAndMore     = " and %s"
	textProgramsRan = "A program ran: %s. I can't take back what a program does."
	// texts about what programs changed between two points of the file history
	textSpanExpired    = "I no longer have the files from before %s."
	textSpanFailed     = "Can't be taken back: what %s changed (%s)."
	textRestoreExpired = "I no longer have the files from before the restore of %s."
	textRestoreFailed  = "Can't be taken back: the restore of %s (%s)."
	textShared         = "Changed while two programs ran, so I put these back only by name: %s. " +
		"Write “/history files NAME”."
	textLost   = "They stay as they are, because I had not kept them: %s."
	textUnkept = "New, and I have not kept them. If I delete them, they can't be had back: %s."
	textGone   = "Gone for good, because I had not kept them: %s."
	// the system refused to change these files
	textCouldNotChange = "I could not change these files: %s."
	textOutsideHome    = "I keep no earlier versions of what a program changes in %s."
	textHistoryHint    = "“/history files” shows earlier versions of your files."
	textUnknownEnd     = "Interrupted, so I do not know what it did: %s."
	textDeleted        = "deleted"
	textRestored       = "restored"
	textMovedBack      = "moved back from %s"
	textListAnd        = ", and "
)

// undoLines report files by the outcome of an undo.
var undoLines = []struct {
	outcome Outcome
	text    string
}{
	{OutcomeRestored, "As it was before: %s."},
	{OutcomeChangedSince, "Left alone, because it or a file changed with it has changed since: %s."},
	{OutcomeExpired, "Left alone, because I no longer have the version from before: %s."},
	{OutcomeImpossible, "Can't be taken back: %s."},
	{OutcomeChangedByProgram, "Changed by a program, which can't be taken back: %s."},
}
