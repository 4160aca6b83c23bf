package reply

import "fmt"

const (
	textTakenOne = "(I have read what you sent meanwhile, and go on with it in mind.)"
	textTaken    = "(I have read the %d messages that you sent meanwhile, and go on with them in mind.)"
)

// LineAboutReadMessages says that the turn read n more messages while it ran. n is at least one.
// The line is a paragraph between the text before and after these messages, because the reply stays
// above them in the chat.
func LineAboutReadMessages(n int) string {
	if n == 1 {
		return textTakenOne
	}
	return fmt.Sprintf(textTaken, n)
}
