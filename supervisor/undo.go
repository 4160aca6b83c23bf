package supervisor

import (
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
