package services

// EscapeSuffix and Redact are functions that tests call with tables.
var (
	EscapeSuffix = escapeSuffix
	Redact       = func(secret, text string) string { return newRedactor(secret).redactString(text) }
)
