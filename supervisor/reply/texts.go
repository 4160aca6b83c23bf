package reply

import "fmt"

const (
	textTakenOne = "(I have read what you sent meanwhile, and go on with it in mind.)"
	textTaken    = "(I have read the %d messages that you sent meanwhile, and go on with them in mind.)"
)

// Taken is what a reply says once its turn has taken in n messages that the person sent meanwhile;
// n is at least one. It is a paragraph between what was said before them and what is said after:
// the reply stays where it began, above the messages.
func Taken(n int) string {
	if n == 1 {
		return textTakenOne
	}
	return fmt.Sprintf(textTaken, n)
}
