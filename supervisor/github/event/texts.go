package event

// Reasons why events are ignored. The status counts events by reason.
const (
	textPing   = "ping"
	textEvent  = "event %s"
	textAction = "%s %s"
	textOwn    = "from Mews itself"
	textBot    = "from a bot"
)
