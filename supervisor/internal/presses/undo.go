package presses

import "fmt"

// The presses below an answer that has changed files, and below what was taken back.
const (
	UndoPrefix = "u:"
	ActionUndo = "undo"
	ActionDiff = "diff"
)

// Undo is a press of a button: what is to be done, with the changes of which turn, or of which
// undo of it.
func Undo(action string, turn, of int64) string {
	return fmt.Sprint(UndoPrefix, action, " ", turn, " ", of)
}

// Undone is the turn that such a press is about. Anybody may have made it up.
func Undone(press string) (turn int64, ok bool) {
	action, of := "", int64(0)
	n, err := fmt.Sscanf(press, UndoPrefix+"%s %d %d", &action, &turn, &of)
	return turn, err == nil && n == 3
}
