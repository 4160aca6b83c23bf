package review

import "fmt"

// Actions of the buttons below a review's card; the review's id follows.
const (
	PressPrefix  = "review/"
	pressExplain = "explain"
	pressPost    = "post"
	pressMuteAll = "mute"
)

// press returns the data of a button below a review's card. rest has further data of the action.
func press(action string, id int64, rest string) string {
	return fmt.Sprint(PressPrefix, action, "/", id, rest)
}
