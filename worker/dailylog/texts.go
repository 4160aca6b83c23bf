package dailylog

// Who has said what stands below.
const (
	textYou       = "You:"
	textWorld     = "You sent, with words of others:"
	textAssistant = "Assistant:"
)
