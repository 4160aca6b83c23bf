package external

// Texts for models, and for users who look at their answers.
const (
	textOutcomeUnknown = "outcome unknown: this call was interrupted after it began, so the other side may have got " +
		"it. Look before you make it again."
	textRunning        = "this call is already running; wait for its answer"
	textAnswerTooLarge = "the answer has more than %d KiB, and is not kept. Ask for less."
	textNoRoom         = "the kept outputs of this user fill their room. They are deleted %d days after they were made."
	textDiskFull       = "the disk of this Mews is nearly full, so no more outputs are kept"
)
