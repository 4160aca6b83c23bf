package dailylog

// Headings of the two sides of an exchange.
const (
	textYou       = "You:"
	textWorld     = "You sent, with words of others:"
	textAssistant = "Assistant:"
)
