package supervisor

// What is said as something is kept, in the same transaction.
const (
	// TextUndoButton and TextDiffButton are below an answer whose turn has changed files.
	// TextUndone and TextRedone tell the model of files that its person has put back, and
	// TextUndoneMore of how many others.
	TextUndoButton = "Undo"
	TextDiffButton = "Show diff"
	TextUndone     = "[The person has undone your change to %s.]\n"
	TextRedone     = "[The person has put your change to %s back again.]\n"
	TextUndoneMore = "%d more files"
	// TextNotKept stands for what a delivery said that is deleted from its chat.
	TextNotKept = "(This was for a moment, and is not kept.)"
)

// textQuoteOf stands in a quote between the part that was chosen and all of what it is of. It is
// for the model.
const textQuoteOf = "\n(in:)\n"
