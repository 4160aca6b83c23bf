package hostcall

// Texts for a user about a turn that its worker or its model has ended.
const (
	textDisagreed = "Your assistant lost track of the conversation and did not ask the model. Its work so far is " +
		"kept. Please send your message again. An admin finds the cause in the log."
	textUnexplained = "Your assistant gave up without a reason. Its work so far is kept. Please send your message again. " +
		"An admin may find more in the log."
	textTooManySteps = "This took %s, the most for one answer. Say “go on” and I continue."
	textUnreadable   = "The model's answer could not be read. Please try again."
	textEmpty        = "The model's answer was empty. Please try again, or use other words."
	textTooLarge     = "The model's answer was too large (%d KiB, %d tool calls). Please ask for less at once."
)

// Questions before files are sent.
const (
	textMaySayInGroup = "May I say this in the group?\n\n%s"
	textMaySend       = "May I send the file %s here (%s, %s)?"
	// textMaySendToo is the part of the question for each further file.
	textMaySendToo = " And with it %s (%s, %s)?"
	textCaption    = " Its caption would be: %s"
)

const (
	// promptContinue asks a model to continue a truncated message.
	promptContinue = "Go on exactly where your last message broke off, in the middle of a word if need be. Repeat nothing of it, and " +
		"do not say that you go on. A tool call that was cut is lost: make it again."
	// promptShorter asks a model to repeat a message if no usable part of it arrived.
	promptShorter = "Your last message was cut off too early, so nothing of it is kept. There was room for about a page. " +
		"Say it more briefly, or repeat the tool call with less text. Write a long file in several calls."
	// textBrokenOff ends a message that stays truncated, so that users know that it is incomplete.
	textBrokenOff = "[The answer ends here: %s]"
	textLimit     = "the model reached the limit for one answer."
	textNotGoneOn = "the model failed to continue it."
	textShort     = "your budget does not suffice for the rest. /usage shows what is left."
	// textPerhapsCut ends a message that may be incomplete.
	textPerhapsCut = "[The answer may be incomplete: the model ended it for an unknown reason.]"
)

// textBeforeFull says why a file's bytes are not stored before a change of the file.
const textBeforeFull = "undo stores at most 16 MiB for a file, 64 MiB for a turn and %d MiB for a user"

// Texts for the model about tools that are not offered.
const (
	textFamilies     = "Families of tools, each opened by its name:\n"
	textMoreFamilies = "and more\n"
	textOpened       = "You can call these from your next step on: %s.\n"
	textNoneFound    = "Nothing was opened: no tool fits these words. Give the name of a family or of a tool.\n"
	textToolsFull    = "There is no room for %s: at most %d tools or %d KiB may be open. Use what is open, or ask the person to close some with /tools.\n"
	textToolClosed   = "not run: the tool %s is closed, and there is no room to open it. At most %d tools or %d KiB may be open. Use the tools " +
		"that you have, or tell the person that /tools closes some and /new begins a new topic."
)

// textActivityInGroup tells a model that it can't read the ledger in a group.
const textActivityInGroup = "The activity of a user is not shown in a group. " +
	"/activity shows it in their private chat."
