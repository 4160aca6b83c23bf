package presses

import "fmt"

// Actions of the undo and redo buttons below an answer.
const (
	UndoPrefix = "u:"
	ActionUndo = "undo"
	ActionDiff = "diff"
)

// FormatUndoPress returns the press of an undo or redo button. The argument of is the id of the
// undo that made the changes. If of is 0, the turn made them.
func FormatUndoPress(action string, turn, of int64) string {
	return fmt.Sprint(UndoPrefix, action, " ", turn, " ", of)
}

// TurnOfUndoPress returns the turn of a press of an undo or redo button. The press may be forged,
// so the turn must be checked.
func TurnOfUndoPress(press string) (turn int64, ok bool) {
	action, of := "", int64(0)
	n, err := fmt.Sscanf(press, UndoPrefix+"%s %d %d", &action, &turn, &of)
	return turn, err == nil && n == 3
}
