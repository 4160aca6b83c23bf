package supervisor

import (
	"strings"
	"time"

	"mews/protocol"
)

// Effect is one thing that was done for a person: a row of the ledger.
type Effect struct {
	ID         int64
	User       string
	Turn       int64  // 0 where none did it
	Call       string // the tool call that did it; "" where none did
	Kind       string // one of package effect's
	Target     string // what it was done to
	Detail     string
	ReportedBy Reporter // whose word it is
	At         time.Time
}

// Reporter is whose word an effect is.
type Reporter string

const (
	ReportedByWorker     Reporter = "worker"     // what runs in a worker may have it say anything
	ReportedBySupervisor Reporter = "supervisor" // it was done here
)

// The kinds of effects that the supervisor reports.
const (
	EffectFileSent    = "file.sent"
	EffectMessageSent = "message.sent"
	EffectBegun       = "call.begun" // and not known to have ended
	EffectUndone      = "change.undone"
	EffectAsked       = "question.asked"
	EffectReceived    = "file.received"
	EffectCorrected   = "fact.corrected" // by its person, as are the next two
	EffectForgotten   = "fact.forgotten"
	EffectImported    = "memory.imported"
)

// EffectReporter is whose word an effect of a kind is: those with a dot are the supervisor's to
// report, the others a worker's.
func EffectReporter(kind string) Reporter {
	if strings.Contains(kind, ".") {
		return ReportedBySupervisor
	}
	return ReportedByWorker
}

// EffectCount is how many effects of a group a person has, or of a kind.
type EffectCount struct {
	User  string `json:"user"`
	Group string `json:"kind"`
	Count int    `json:"count"`
}

// EffectQuery asks for effects of one person.
type EffectQuery struct {
	User     string
	From, To time.Time // the zero values are no bounds
	Kinds    []string  // nil is all
	Before   int64     // only those with a smaller id; 0 is all
	Limit    int
}

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
