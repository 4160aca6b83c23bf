package hostcall

// What a person reads of a turn that ended because of its worker or its model.
const (
	textDisagreed = "Your assistant lost track of what was said, so the model was not asked. What was done so far is " +
		"kept. Please send it again; an admin finds in the log what was wrong."
	textUnexplained = "Your assistant gave up without saying why. What was done so far is kept. Please send it again; an admin " +
		"may find more in the log."
	textTooManySteps = "This took %s, the most for one answer. Say “go on” and I continue."
	textUnreadable   = "The model's answer could not be read. Please try again."
	textEmpty        = "The model answered with nothing at all. Please try again, or say it in other words."
	textTooLarge     = "The model's answer was too large to take (%d KiB, %d tool calls). Please ask for less at once."
)

// What a person is asked before a file leaves.
const (
	textMaySend = "May I send the file %s here (%s, %s)?"
	// textMaySendToo is about each further file.
	textMaySendToo = " And with it %s (%s, %s)?"
	textCaption    = " It would say: %s"
)

const (
	// promptContinue asks a model to go on with a message that broke off.
	promptContinue = "Go on exactly where your last message broke off, in the middle of a word if need be. Repeat nothing of it, and " +
		"do not say that you go on. A tool call that was cut is lost: make it again."
	// promptShorter asks for one of which nothing was whole.
	promptShorter = "Your last message was cut before anything of it was whole, and none of it is kept: there was room for about a page. " +
		"Say it again, or make the tool call again, in less than that. Write a long file in several calls."
	// textBrokenOff ends a message that breaks off all the same, so that nobody takes it for whole.
	textBrokenOff = "[The answer breaks off here: %s]"
	textLimit     = "the model reached the limit of what it may say at once."
	textNotGoneOn = "the model was asked to go on, and failed."
	textShort     = "there is not enough money left for all of it. /usage says what is left."
	// textPerhapsCut ends a message of which nobody can tell whether it is whole.
	textPerhapsCut = "[The answer may not be whole: the model ended it for a reason that Mews does not know.]"
)

// textBeforeFull is why the bytes of a file are not kept before it is changed.
const textBeforeFull = "there is room for 16 MiB of one file, 64 MiB of one turn and %d MiB of a person's files from before"

// What a model reads of tools that it is not offered.
const (
	textFamilies     = "Families of tools, each opened by its name:\n"
	textMoreFamilies = "and more\n"
	textOpened       = "You can call these from your next step on: %s.\n"
	textNoneFound    = "Nothing was opened: no tool fits these words. Give the name of a family or of a tool.\n"
	textToolsFull    = "There is no room for %s: %d tools or %d KiB are open. Use what is open, or have the person close some with /tools.\n"
	textToolClosed   = "not run: the tool %s is closed, and there is no room to open it: %d tools or %d KiB are open. Do it with the tools " +
		"that you have, or tell the person that /tools closes some and /new begins anew."
)
