package voice

// Texts for users, for tests outside of the package.
const (
	TextWrittenBecauseOfCode    = textWrittenBecauseOfCode
	TextWrittenBecauseTooLong   = textWrittenBecauseTooLong
	TextWrittenBecauseSilent    = textWrittenBecauseSilent
	TextWrittenBecauseOfWarning = textWrittenBecauseOfWarning
)
