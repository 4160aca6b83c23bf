package voice

// Texts for users, for tests outside of the package.
const (
	TextWrittenCode    = textWrittenCode
	TextWrittenLong    = textWrittenLong
	TextWrittenSilent  = textWrittenSilent
	TextWrittenWarning = textWrittenWarning
)
