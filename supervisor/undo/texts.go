package undo

// What a person reads of changes that can't be taken back.
const (
	textForeign   = "This button does nothing here: it belongs to another person."
	textPartNever = "another change of it can't be taken back"
	textTooMany   = "That answer has %d changes of files, and at most %d can be taken back together."
	textFailed    = "Your files could not be seen to: %s"

	textUndoButton = "Undo"
	// TextDiffButton is on the button that shows what has changed.
	TextDiffButton = "Show diff"
	textNever      = "; can't be undone: %s"
)

// What a model reads of changes that were taken back.
const (
	textTold      = "[The person has undone your change to %s.]\n"
	textToldAgain = "[The person has put your change to %s back again.]\n"
	textToldMore  = "%d more files"
)

// /undo.
const (
	textShow          = "show" // behind /undo
	textUndoUsage     = "Write /undo, “/undo 2” for the answer before the last one, or “/undo show”, but not %s."
	textNothingToUndo = "There is nothing here that I could take back. I can take back what I changed in your files " +
		"in the last 7 days."
	textFewerToUndo = "There are fewer answers than that whose changes I could take back. /undo takes back those " +
		"of the last one."
	textUndoEarlier = "To take back what an answer before it changed, write /undo with a number: 2 is the one " +
		"before the last."
	textLeftAlone   = "Left as it is."
	textUndoAgain   = "Take this back"
	textUndoAnyway  = "Put back anyway"
	textLeave       = "Leave"
	textWholeFolder = "what a program did in a folder with too many files to name them"
	textMoreFiles   = "and %s more"
	textDiffInGroup = "Everybody here would read it. Write /undo in our private chat for what I changed there."
	textNoDiff      = "There is no difference any more."
	textLongDiff    = "This is what has changed."
)

// undoLines are what is said of files by what has become of them.
var undoLines = []struct {
	outcome Outcome
	text    string
}{
	{Back, "As it was before: %s."},
	{Changed, "Left alone, because it, or a file that was changed together with it, has changed since: %s."},
	{Expired, "Left alone, because I keep what was in it for 7 days: %s."},
	{Never, "Can't be taken back: %s."},
	{Program, "A program changed it, which can't be taken back: %s. What programs deleted I do not see."},
}
