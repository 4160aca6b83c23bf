package inbox

const (
	textEmpty   = "The message is empty."
	textTooLong = "The message has %d KiB; at most %d KiB can be sent at once. Put it into a file in your folder and name the file."
	textNotUTF8 = "The message is not text in UTF-8."
	textKeySize = "The message's key has %d bytes; it must have 1 to %d."
	textKeyChar = "The message's key is not printable ASCII without spaces."

	// placeholderText replaces an invalid text.
	placeholderText = "(a message that could not be taken)"

	// TextNewAnswerBelow is added below an answer when its message gets a new answer.
	TextNewAnswerBelow = "(Answered anew below.)"
	// TextEditedCommand answers an edited command.
	TextEditedCommand = "A command runs only once. To change a reminder, press Change below it, or use /jobs. " +
		"Or send the command again."
	// TextEditedIntoCommand answers a text that was edited into a command after its answer.
	TextEditedIntoCommand = "I had answered this before you made it a command, so the command did not run. " +
		"Send it as a new message."
	textEditedAnswered = "You changed this message after I had answered it."
	textAnswerAnew     = "Answer it anew"
	textTryAgain       = "Try again"
)

// Notes for a model about edited messages, and about unreadable files.
const (
	textUnread     = "\n[Before this came %s, which could not be looked at.]"
	textCorrection = "Correction of my message “%s”: now it reads: “%s”"
	textInstead    = "\n[This takes the place of the message “%s” and of what came with it.]"
	textNoWords    = "(no words)"
)
