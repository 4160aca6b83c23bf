package monitor

// Answers of the pages.
const (
	textAlive     = "ok\n"
	textReady     = "ok\n"
	textNotReady  = "not ready:\n%s\n"
	textNoFigures = "The figures can't be read from the database. The log says why.\n"
)
