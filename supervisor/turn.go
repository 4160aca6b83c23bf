package supervisor

import (
	"time"

	"mews/protocol"
)

// TurnKind is the kind of a turn.
type TurnKind string

const (
	TurnChat   TurnKind = "chat"
	TurnJob    TurnKind = "job"
	TurnReview TurnKind = "review"
	TurnTriage TurnKind = "triage"
	TurnMCP    TurnKind = "mcp"
)

// IsOneShot reports whether turns of the kind run in a worker of their own. That worker has no
// folder, tool or money of the user.
func (k TurnKind) IsOneShot() bool { return k == TurnReview || k == TurnTriage }

// Turn is the work for one or several inbounds or, as a child turn, for its parent.
type Turn struct {
	ID           int64
	Conversation Conversation // it sees the history of this one
	Destination  Conversation // see AnswersIn; the zero value means its own Conversation
	Kind         TurnKind
	Inbound      int64 // 0 for a child turn
	Parent       int64 // its parent turn; 0 means none
	// the inbound's, for the answer; "" if the turn answers in another conversation
	Message   string
	Deaths    int           // number of workers that crashed in it
	RunTime   time.Duration // run time before it last waited for the user
	StartedAt time.Time
}

// AnswersIn returns the conversation for a turn's answer, files and questions.
func (t Turn) AnswersIn() Conversation {
	if t.Destination == (Conversation{}) {
		return t.Conversation
	}
	return t.Destination
}

// Reply is the current answer of a running turn.
type Reply struct {
	Turn Turn
	Text string // Markdown: the committed text, the growing text, and Note
	Note string // why there is no progress; "" if there is
	Tool ToolRun
}

// ToolRun is a running call of a tool; the zero value means none.
type ToolRun struct {
	Call string
	Tool string // its name
	Text string // its subject, such as a path or a command; "" means unknown
}

// Operation is work of a user's worker that is no turn. After a crash it is done again under the
// same ID.
type Operation struct {
	ID         int64
	User       string
	Kind       protocol.OperationKind
	Parameters string // a JSON object
	// its inbound; 0 means none. There is one operation of a kind for each attachment
	Inbound   int64
	Position  int // of the attachment
	State     OperationState
	Deaths    int    // number of workers that crashed in it
	Result    string // of a done one; the reason of a failed or parked one
	CreatedAt time.Time
	UpdatedAt time.Time // when its State or Deaths changed
}

// OperationState is the state of an operation.
type OperationState string

const (
	OperationWaiting OperationState = "waiting" // for a worker
	OperationRunning OperationState = "running"
	OperationDone    OperationState = "done"
	OperationFailed  OperationState = "failed" // its worker reported that it is impossible
	OperationParked  OperationState = "parked" // it crashed MaxDeaths workers
)

// MaxDeaths is the number of worker crashes that park an operation.
const MaxDeaths = 3
