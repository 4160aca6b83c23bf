package event

// Reasons for ignored events, as the status counts them.
const (
	textPing   = "ping"
	textEvent  = "event %s"
	textAction = "%s %s"
	textOwn    = "our own"
	textBot    = "of a bot"
)
