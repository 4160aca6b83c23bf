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
	Call       string // the tool call that made the effect; "" means no call
	Kind       string // kind of the effect, as package effect names it
	Target     string // subject of the effect, such as a path or a recipient
	Detail     string
	Delivery   int64          // the delivery that brings it to the user; 0 means none; read by writes
	ReportedBy EffectReporter // reporter of the effect
	At         time.Time
}

// EffectReporter says who reported an effect.
type EffectReporter string

const (
	// a worker; it can't be trusted, since code in a worker can report anything
	ReportedByWorker     EffectReporter = "worker"
	ReportedBySupervisor EffectReporter = "supervisor" // the supervisor made the effect
)

// Kinds of effects that the supervisor reports.
const (
	EffectFileSent    = "file.sent" // the channel has taken it
	EffectMessageSent = "message.sent"
	EffectBegun       = "call.begun" // a tool call that began and whose end is unknown
	EffectUndone      = "change.undone"
	EffectAsked       = "question.asked"
	EffectReceived    = "file.received"
	EffectCorrected   = "fact.corrected" // the user corrected a fact
	EffectForgotten   = "fact.forgotten"
	EffectImported    = "memory.imported"
)

// EffectReplaced is the kind of a fact that a remembered fact has replaced. The worker names it.
const EffectReplaced = "replace"

// Kinds of effects that were not sent for certain. An effect's kind changes with the outcome of its
// delivery.
const (
	EffectFileQueued     = "file.queued" // the channel has not taken it yet
	EffectMessageQueued  = "message.queued"
	EffectFileRefused    = "file.refused" // the channel has not taken it and never will
	EffectMessageRefused = "message.refused"
	EffectFileUnknown    = "file.unknown" // the channel may have taken it
	EffectMessageUnknown = "message.unknown"
)

// ReporterOf returns who reports effects of a kind. The supervisor reports those with a dot,
// and workers the others.
func ReporterOf(kind string) EffectReporter {
	if strings.Contains(kind, ".") {
		return ReportedBySupervisor
	}
	return ReportedByWorker
}

// EffectCount is the number of a user's effects of one kind, or of one group of kinds.
type EffectCount struct {
	User  string `json:"user"`
	Group string `json:"kind"`
	Count int    `json:"count"`
}

// EffectQuery selects effects of a user.
type EffectQuery struct {
	User     string
	From, To time.Time // span of time; zero values mean no bounds
	Kinds    []string  // kinds of effects; nil means all
	Before   int64     // select only effects with smaller ids; 0 means all
	Limit    int
}

// FileChange is a recorded change of a user's file.
type FileChange struct {
	protocol.Undo
	Effect    int64 // id of the change in the ledger
	Turn      int64
	Operation int64  // the undo that made the change; 0 means that the turn made it
	Kind      string // kind of the change in the ledger
	CreatedAt time.Time
}

// UndoneChanges has the changes of files that an operation has undone.
type UndoneChanges struct {
	User      string
	Turn      int64
	UndoOf    int64 // the undo that made the changes; 0 means that the turn made them
	Operation int64
	Effects   []int64         // ids of the changes in the ledger
	Changes   []protocol.Undo // changes that would redo what was undone
}
