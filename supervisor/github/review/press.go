package review

import "fmt"

// The presses below a review's card: what is to be done, and the review's id.
const (
	PressPrefix  = "review/"
	pressExplain = "explain"
	pressPost    = "post"
	pressMuteAll = "mute"
)

// press is a press of a button below a review's card. rest is more of what is to be done.
func press(action string, id int64, rest string) string {
	return fmt.Sprint(PressPrefix, action, "/", id, rest)
}
