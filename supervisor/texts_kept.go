package supervisor

// What is said as something is kept, in the same transaction.
const (
	// TextHeldFull answers what is sent while as much of a person's is held as can be.
	TextHeldFull = "This was not taken: too much of yours waits for a code already. Send a code first, then send this again."
	// TextPressLocked and TextPressLockedElsewhere answer a press where the gate is closed: where
	// the code can be sent in the same chat, and where it can't. A press is not held, for it may
	// mean something else by the time that it is let through.
	TextPressLocked          = "Locked. Send your code, then press again."
	TextPressLockedElsewhere = "Locked. Write a message here, send your code in our private chat when I ask for it there, then press again."
	// TextHeldReset answers what was held when its person's second factor was reset.
	TextHeldReset = "This waited for a code, and your second factor was reset: it was not taken. Send it again."
	// TextCodeLate answers a code for something that was asked about, and is not asked about any
	// more.
	TextCodeLate = "That code came too late: what it was for was not done, and the code is used up. Ask again for what you wanted."
	// TextUnread is added to the text that follows what could not be looked at, with the names of
	// that. It is for the model.
	TextUnread = "\n[Before this came %s, which could not be looked at.]"
	// TextEditLocked is told of a change that came while the gate was closed, of something that has
	// passed it.
	TextEditLocked = "Locked: I have not taken your change of this message. Send your code, then change it again."
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
