package external

// Texts for models, and for users who look at their answers.
const (
	textOutcomeUnknown = "outcome unknown: this call was interrupted after it began, so the server may have got it. " +
		"Check before you make it again."
	textRunning        = "this call is already running; wait for its answer"
	textAnswerTooLarge = "the answer has more than %d KiB, and is not kept. Ask for less."
	textNoRoom         = "this user has no space for more outputs. Mews deletes outputs after %d days."
	textDiskFull       = "the disk of this Mews is nearly full, so no more outputs are kept"
)
