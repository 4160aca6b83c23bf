package supervisor

// What is said as something is kept, in the same transaction.
const (
	// TextUnread is added to the text that follows what could not be looked at, with the names of
	// that. It is for the model.
	TextUnread = "\n[Before this came %s, which could not be looked at.]"
	// TextEditedAnswered is told of a change to what has its answer; TextAnswerAnew is on its
	// button, and TextAnsweredAnew below the earlier answer once that was pressed.
	TextEditedAnswered = "You changed this message after I had answered it."
	TextAnswerAnew     = "Answer it anew"
	TextAnsweredAnew   = "(Answered anew below.)"
	// TextCorrection tells a turn that runs what a message of its person's was, as far as %s has
	// room, and what it is now. TextInstead is added to what comes with another file. TextNoWords
	// stands for no text. They are for the model.
	TextCorrection = "Correction of my message “%s”: now it reads: “%s”"
	TextInstead    = "\n[This takes the place of the message “%s” and of what came with it.]"
	TextNoWords    = "(no words)"
	// TextUndoButton and TextDiffButton are below an answer whose turn has changed files.
	// TextUndone and TextRedone tell the model of files that its person has put back, and
	// TextUndoneMore of how many others.
	TextUndoButton = "Undo"
	TextDiffButton = "Show diff"
	TextUndone     = "[The person has undone your change to %s.]\n"
	TextRedone     = "[The person has put your change to %s back again.]\n"
	TextUndoneMore = "%d more files"
	// TextYou is for the model: who has said what the bot has.
	TextYou = "You"
	// TextEnoughAsked is for the model, with how many questions a turn may ask.
	TextEnoughAsked = "The person was asked %d questions in this turn, and no more can be asked. Go on with what you know, or say in your answer " +
		"what you still need."
	// TextNotKept stands for what a delivery said that is deleted from its chat.
	TextNotKept = "(This was for a moment, and is not kept.)"
)

// textQuoteOf stands in a quote between the part that was chosen and all of what it is of. It is
// for the model.
const textQuoteOf = "\n(in:)\n"
