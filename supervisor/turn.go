package supervisor

import (
	"time"

	"mews/protocol"
)

// TurnKind is what a turn is for.
type TurnKind string

const (
	TurnChat   TurnKind = "chat"
	TurnJob    TurnKind = "job"
	TurnReview TurnKind = "review"
	TurnTriage TurnKind = "triage"
	TurnMCP    TurnKind = "mcp"
)

// OneShot says whether turns of the kind have a worker of their own, which has nothing of its
// person's: no folder, no tool, no money.
func (k TurnKind) OneShot() bool { return k == TurnReview || k == TurnTriage }

// Turn is the work for one inbound, or, below another turn, for what that asks of it.
type Turn struct {
	ID           int64
	Conversation Conversation // whose history it sees
	Destination  Conversation // see AnswersIn; the zero value is its own Conversation
	Kind         TurnKind
	Inbound      int64 // 0 of a child turn
	Parent       int64 // the turn that has begun it; 0 for none
	// the inbound's, to answer to; "" where the turn answers in another conversation
	Message   string
	Deaths    int           // workers that ended in it
	Ran       time.Duration // before it last waited for its person
	StartedAt time.Time
}

// AnswersIn is the conversation where a turn's answer, its files and its questions go.
func (t Turn) AnswersIn() Conversation {
	if t.Destination == (Conversation{}) {
		return t.Conversation
	}
	return t.Destination
}

// Reply is a running turn's answer as it is now.
type Reply struct {
	Turn Turn
	Text string // Markdown; what has been committed and what is being said, and Note
	Note string // why nothing comes; "" where something does
	Tool ToolRun
}

// ToolRun is a call of a tool that runs; the zero value is none.
type ToolRun struct {
	Call string
	Tool string // its name
	Text string // what it is about, such as a path or a command; "" is not known
}

// Operation is work by a person's worker that is no turn. It is done again after a crash, under the
// same ID.
type Operation struct {
	ID         int64
	User       string
	Kind       protocol.OperationKind
	Parameters string // a JSON object
	// that it is about; 0 for none. There is one operation of a kind for each of its attachments
	Inbound   int64
	Position  int // of the attachment
	State     OperationState
	Deaths    int    // workers that ended in it
	Result    string // of one that is done; of one that failed or is parked, why
	CreatedAt time.Time
	UpdatedAt time.Time // when its state or its Deaths changed
}

// OperationState is how far an operation has come.
type OperationState string

const (
	OperationWaiting OperationState = "waiting" // for a worker
	OperationRunning OperationState = "running"
	OperationDone    OperationState = "done"
	OperationFailed  OperationState = "failed" // its worker says that it can't be done
	OperationParked  OperationState = "parked" // it ended MaxDeaths workers
)

// MaxDeaths is how many workers an operation may end before it is parked.
const MaxDeaths = 3
