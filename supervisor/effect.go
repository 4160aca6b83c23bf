package supervisor

import (
	"strings"
	"time"

	"mews/protocol"
)

// Effect is one thing that was done for a user: a row of the ledger.
type Effect struct {
	ID         int64
	User       string
	Turn       int64  // 0 means no turn
	Call       string // the tool call that made the effect; "" means none
	Kind       string // a kind of package effect
	Target     string // subject of the effect, such as a path or a recipient
	Detail     string
	ReportedBy Reporter // reporter of the effect
	At         time.Time
}

// Reporter says who reported an effect.
type Reporter string

const (
	// a worker; not to be trusted, since code in a worker can report anything
	ReportedByWorker     Reporter = "worker"
	ReportedBySupervisor Reporter = "supervisor" // the supervisor made the effect
)

// Kinds of effects that the supervisor reports.
const (
	EffectFileSent    = "file.sent"
	EffectMessageSent = "message.sent"
	EffectBegun       = "call.begun" // a call that began, with an unknown end
	EffectUndone      = "change.undone"
	EffectAsked       = "question.asked"
	EffectReceived    = "file.received"
	EffectCorrected   = "fact.corrected" // correction by the user; the next two are also by the user
	EffectForgotten   = "fact.forgotten"
	EffectImported    = "memory.imported"
)

// ReporterOf returns who reports effects of a kind. The supervisor reports those with a dot,
// and workers the others.
func ReporterOf(kind string) Reporter {
	if strings.Contains(kind, ".") {
		return ReportedBySupervisor
	}
	return ReportedByWorker
}

// EffectCount is the number of a user's effects of a group or a kind.
type EffectCount struct {
	User  string `json:"user"`
	Group string `json:"kind"`
	Count int    `json:"count"`
}

// EffectQuery selects effects of a user.
type EffectQuery struct {
	User     string
	From, To time.Time // zero values mean no bounds
	Kinds    []string  // nil means all
	Before   int64     // only effects with smaller ids; 0 means all
	Limit    int
}

// FileChange is a recorded change of a user's file.
type FileChange struct {
	protocol.Undo
	Effect    int64 // the change's row in the ledger
	Turn      int64
	Operation int64  // the undo that made the change; 0 means the turn
	Kind      string // the effect's kind in the ledger
	CreatedAt time.Time
}

// UndoneFiles are changes that an operation has undone.
type UndoneFiles struct {
	User      string
	Turn      int64
	UndoOf    int64 // the undo that had made the changes; 0 means the turn
	Operation int64
	Effects   []int64         // the changes' rows in the ledger
	Changes   []protocol.Undo // the changes that would redo the undone ones
}
