package reply

import "fmt"

// Taken is what a reply says where its turn has taken in what the person sent on its way: n messages, at least one. It is a
// paragraph between what was said before them and what is said after: a reply goes on where it began, above what they sent.
func Taken(n int) string {
	if n == 1 {
		return "(I have read what you sent meanwhile, and go on with it in mind.)"
	}
	return fmt.Sprintf("(I have read the %d messages that you sent meanwhile, and go on with them in mind.)", n)
}
