package supervisor

import (
	"strings"
	"time"

	"mews/protocol"
)

// Effect is one thing that was done for a user: a row of the ledger.
type Effect struct {
	ID     int64
	User   string
	Turn   int64  // id of the turn; 0 means no turn
	Call   string // the tool call that made the effect; "" means no call
	Kind   string // kind of the effect, as package effect names it
	Target string // subject of the effect, such as a path or a recipient
	Detail string
	// id of the delivery that brings the effect's message or file to the user; 0 means none; only
	// writes use this field
	Delivery   int64
	ReportedBy EffectReporter // reporter of the effect
	At         time.Time
}

// EffectReporter says who reported an effect.
type EffectReporter string

const (
	// a worker reported the effect; don't trust it, because code in a worker can report anything
	ReportedByWorker     EffectReporter = "worker"
	ReportedBySupervisor EffectReporter = "supervisor" // the supervisor made the effect, and reported it
)

// Kinds of effects that the supervisor reports.
const (
	EffectFileSent      = "file.sent" // the channel has taken the file
	EffectMessageSent   = "message.sent"
	EffectCallBegun     = "call.begun" // a tool call began, and its end is unknown
	EffectChangeUndone  = "change.undone"
	EffectProgramUndone = "program.undone" // the user took back what a program changed
	EffectFilesRestored = "files.restored" // the user restored an earlier version of a file or a folder
	EffectRestoreUndone = "restore.undone" // the user took back a restore
	// an admin restored an earlier version of a file or a folder of the user
	EffectFilesRestoredByAdmin = "files.restored-by-admin"
	EffectQuestionAsked        = "question.asked"
	EffectFileReceived         = "file.received"
	EffectFactCorrected        = "fact.corrected" // the user corrected a fact
	EffectFactForgotten        = "fact.forgotten"
	EffectMemoryImported       = "memory.imported"
	EffectServiceCalled        = "service.called"    // a call that may change something at a service
	EffectServiceMaybeCalled   = "service.unknown"   // the service may have got such a call
	EffectCalendarImported     = "calendar.imported" // the user added the events of a file
	EffectWebSearched          = "web.searched"
	EffectWeatherRead          = "web.weather"
)

// EffectFactReplaced is the kind of effect for a fact that a newer fact replaced. Like all kinds
// without a dot, it counts as reported by the worker.
const EffectFactReplaced = "replace"

// Kinds of effects for a file or message that may not have arrived. The kind changes with the
// outcome of its delivery.
const (
	EffectFileQueued       = "file.queued" // the channel has not taken the file yet
	EffectMessageQueued    = "message.queued"
	EffectFileRefused      = "file.refused" // the channel refused the file, and will never take it
	EffectMessageRefused   = "message.refused"
	EffectFileMaybeSent    = "file.unknown" // the channel may have taken the file
	EffectMessageMaybeSent = "message.unknown"
)

// EffectRestore is the kind of a restore by a tool.
const EffectRestore = "restore"

// IsRestoreKind reports whether a kind means restores by a tool, or undos of restores.
func IsRestoreKind(kind string) bool { return kind == EffectRestore || kind == EffectRestoreUndone }

// EffectReporterOf returns who reports effects of a kind. The supervisor reports kinds with a dot,
// and workers report all other kinds.
func EffectReporterOf(kind string) EffectReporter {
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
	From, To time.Time // time span of the effects; a zero From or To sets no bound
	Kinds    []string  // kinds of effects; nil means all
	Before   int64     // select only effects whose id is smaller than Before; 0 means all
	Limit    int
}

// FileChange is a recorded change of a user's file.
type FileChange struct {
	protocol.Undo
	Effect    int64 // id of the change in the ledger
	Turn      int64
	Operation int64  // id of the undo that made the change; 0 means that the turn itself made it
	Kind      string // kind of the change in the ledger
	Target    string // target of the change in the ledger, such as the first words of a program
	CreatedAt time.Time
}

// UndoneChanges has the changes of files that an operation has undone.
type UndoneChanges struct {
	User      string
	Turn      int64
	UndoOf    int64 // id of the undo that made the changes; 0 means that the turn itself made them
	Operation int64
	Effects   []int64         // ids of the changes in the ledger, without those of Spans
	Changes   []protocol.Undo // changes that would redo the undone changes
	Spans     []UndoneSpan
}

// UndoneSpan is a span of the file history that an operation has undone.
type UndoneSpan struct {
	Effect int64 // id of the span's change in the ledger
	// Partly means that some files of the span were left alone, so that the span stays in force.
	Partly  bool
	Inverse *protocol.HistorySpan // the changes that the undo itself made; nil means none
}

// ChangedFiles are files of a home that turns have changed.
type ChangedFiles struct {
	Paths []string
	// Spans stand for all files that they changed, also those that Paths lacks.
	Spans []protocol.HistorySpan
}

// IsEmpty reports whether there are no files.
func (c ChangedFiles) IsEmpty() bool { return len(c.Paths)+len(c.Spans) == 0 }

// RestoredNames names changes that a user has undone or redone.
type RestoredNames struct {
	Paths    []string // changed files
	Programs []string // first words of programs that changed files
}

// FileHistorySize is the size of the file history of a user's home at a time.
type FileHistorySize struct {
	protocol.HistorySpace
	At time.Time `json:"at"`
	// Whole means that the worker has kept all files that it can, after the home got its history.
	Whole bool `json:"whole,omitempty"`
}
