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

// IsOneShot reports whether turns of the kind run in a worker of their own. Such a worker has no
// folder, tool or money of the user.
func (k TurnKind) IsOneShot() bool { return k == TurnReview || k == TurnTriage }

// Turn is the work for one or several inbounds. A child turn has no inbound: it works for its
// parent.
type Turn struct {
	ID           int64
	Conversation Conversation // the conversation whose history the turn sees
	Destination  Conversation // the conversation for the answer; the zero value means Conversation
	Kind         TurnKind
	Inbound      int64 // the first inbound; 0 for a child turn
	Parent       int64 // the parent turn; 0 means none
	// name of the message that the answer replies to, on its channel; "" if the answer goes to
	// another conversation
	Message   string
	Deaths    int           // number of workers that crashed while they ran the turn
	RunTime   time.Duration // run time until the turn last waited for the user
	StartedAt time.Time
}

// AnswerConversation returns the conversation for a turn's answer, files and questions.
func (t Turn) AnswerConversation() Conversation {
	if t.Destination == (Conversation{}) {
		return t.Conversation
	}
	return t.Destination
}

// TurnReservation keeps an idle conversation free for the caller. The transaction that stores a
// message may then start the conversation's next turn.
type TurnReservation struct {
	Conversation int64
	Lease        *LeaseRequest // money to set aside for the turn; nil means none
}

// StartedTurn is a turn that started in the transaction that stored its message.
type StartedTurn struct {
	Turn     Turn
	Messages []protocol.Message // the messages of the turn
	Lease    Lease              // the money that was set aside; the zero value means none
	Request  *LeaseRequest      // the request for the lease; nil means none
}

// Reply is the current answer of a running turn.
type Reply struct {
	Turn Turn
	Text string // Markdown text to show: the committed text, the growing text, and Note
	Note string // reason why the turn does not progress; "" means that it progresses
	Tool ToolRun
}

// ToolRun is a running call of a tool; the zero value means none.
type ToolRun struct {
	Call string
	Tool string // name of the tool
	Text string // subject of the call, such as a path or a command; "" means unknown
}

// Operation is work of a user's worker that is no turn. After a crash the operation runs again with
// the same ID.
type Operation struct {
	ID         int64
	User       string
	Kind       protocol.OperationKind
	Parameters string // parameters of the operation, as a JSON object
	// id of the inbound whose attachment the operation handles; 0 means none
	Inbound   int64
	Position  int // position of the attachment in its message; an attachment has at most one operation of each kind
	State     OperationState
	Deaths    int    // number of workers that crashed while they ran the operation
	Result    string // result of a done operation, or the reason why it failed or was parked
	CreatedAt time.Time
	UpdatedAt time.Time // time of the last change of State or Deaths
}

// OperationState is the state of an operation.
type OperationState string

const (
	OperationWaiting OperationState = "waiting" // the operation waits for a worker
	OperationRunning OperationState = "running"
	OperationDone    OperationState = "done"
	// the worker reported that the operation is impossible
	OperationFailed OperationState = "failed"
	OperationParked OperationState = "parked" // the operation ended MaxWorkerDeaths workers, and is not tried again
)

// MaxWorkerDeaths is the number of worker crashes that park an operation.
const MaxWorkerDeaths = 3
