package supervisor

import (
	"fmt"
	"time"

	"mews/protocol"
)

// FileChange is a change of a person's file that is on record.
type FileChange struct {
	protocol.Undo
	Effect    int64 // its row in the ledger
	Turn      int64
	Operation int64  // the undo that made it; 0: the turn
	Kind      string // the ledger's
	CreatedAt time.Time
}

// UndoneFiles are changes that an operation has taken back.
type UndoneFiles struct {
	User      string
	Turn      int64
	Of        int64 // the undo that had made them; 0: the turn
	Operation int64
	Effects   []int64         // their rows in the ledger
	Changes   []protocol.Undo // what takes each of them back again
}

// The presses below an answer that has changed files, and below what was taken back.
const (
	UndoPrefix = "u:"
	PressUndo  = "undo"
	PressDiff  = "diff"
)

// UndoPress is a press of a button: what is to be done, with the changes of which turn, or of which
// undo of it.
func UndoPress(action string, turn, of int64) string {
	return fmt.Sprint(UndoPrefix, action, " ", turn, " ", of)
}

// UndoPressed is the turn that such a press is about. Anybody may have made it up.
func UndoPressed(press string) (turn int64, ok bool) {
	action, of := "", int64(0)
	n, err := fmt.Sscanf(press, UndoPrefix+"%s %d %d", &action, &turn, &of)
	return turn, err == nil && n == 3
}
