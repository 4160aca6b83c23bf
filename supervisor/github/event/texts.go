package event

// Why events are ignored, as the status counts them.
const (
	textPing   = "ping"
	textEvent  = "event %s"
	textAction = "%s %s"
	textOwn    = "our own"
	textBot    = "of a bot"
)
