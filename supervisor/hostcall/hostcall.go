// Package hostcall answers a worker's calls to the supervisor.
//
// The worker is treated as hostile, because it runs tools on text from strangers. One table lists
// all calls that a worker may make, with a row for each method. The core's rows are in the files of
// their families, next to the functions that answer. Features bring their own rows (package
// feature). A row says in which phase and in which kinds of turn the method is valid. It limits the
// size of the parameters, the number of calls in a turn or operation, and concurrent calls. The
// connection is the identity: a Conn serves one worker process of one user, and no parameter can
// name another user. A call out of phase or over its limit ends the worker and is audited. (After
// the monitor of OpenSSH.)
package hostcall

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// Reply is the growing answer that the user sees. Its methods never block.
type Reply interface {
	AppendText(text string)
	CommitStep(text string)
	ResetStep()
	BeginStep(ahead string)
	ShowNote(text string)
	Hide() // stops showing the reply while it grows
	ShowTool(event protocol.TurnEvent)
}

// Options holds the dependencies that all connections share. Each family of calls has its own
// dependencies.
type Options struct {
	ModelDependencies
	StepDependencies
	BlobDependencies
	ChatDependencies
	ActivityDependencies
	IndexDependencies
	DiskDependencies
	ReminderDependencies
	ToolDependencies

	Table CallTable                         // the calls that workers may make
	Audit func(user, action, detail string) // stores an offence of a worker in the audit log; never blocks
	Now   func() time.Time
	Log   hclog.Logger

	sharedTools sharedTools
}

// Turn describes a turn for a worker.
type Turn struct {
	ID           int64
	Conversation int64 // the conversation with the history of the turn
	Destination  int64 // the conversation that gets the turn's files and questions
	Kind         supervisor.TurnKind
	Model        string // name of the model as provider/model; "" means the default model
	First        int64  // ID of the turn's first message; 0 means the user's last message
	Step         int    // number of the turn's committed steps
	// limits of steps and output; 0 means no limits besides those of the table and the wire
	Limits   protocol.TurnLimits
	Pending  []protocol.PendingCall // calls of the last committed step that have no result
	Reply    Reply
	Reserver Reserver // reserves money for model calls; nil means that they cost nothing
	Pot      string   // name of the pot that pays for model calls; "" means the user's budget
	// true means that too little money ends the turn's model calls, without asking a cheaper model
	EndWithMoney bool

	Material string // name of the blob that a one-shot worker reads
	// CommitLast commits a step without tool calls; text is the part that the user sees. It reports
	// whether the step has ended the turn. If CommitLast is nil, a step without tool calls is
	// committed like any other step.
	CommitLast func(ctx context.Context, step sqlite.Step, text string,
		replaced *modelcall.ReplacedModel) (message int64, ended bool, err error)
}

// TurnOutcome describes a turn that has ended.
type TurnOutcome struct {
	// error of the last model call; nil if the call succeeded. If the turn ended with
	// protocol.TurnEndError, Failure is never nil, and is logged.
	Failure error
	// the model that should have made the turn's last step, if another model made it
	Replaced   *modelcall.ReplacedModel
	AnsweredBy string // provider/model of the model that answered instead
	Tokens     int64  // input and output of all model calls, including failed calls
	Cost       int64  // known cost of all model calls, in millionths of a dollar
}
