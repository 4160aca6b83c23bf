package review

import "fmt"

// Actions of the buttons below a review's card. In a press, the review's id follows the action.
const (
	PressPrefix  = "review/"
	pressExplain = "explain"
	pressPost    = "post"
	pressMuteAll = "mute"
	pressAgain   = "again"
)

// press returns the press of a button below a review's card. rest is data for the action.
func press(action string, id int64, rest string) string {
	return fmt.Sprint(PressPrefix, action, "/", id, rest)
}
