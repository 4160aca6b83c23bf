// Package hostcall answers a worker's calls to the supervisor.
//
// The worker is treated as hostile: it runs tools on text from strangers. One table lists all calls
// that it may make, with a row for each method. The core's rows are in the file of their family,
// next to the functions that answer. A feature's rows come with the feature (package feature). A
// row says in which phase and in which kinds of turn the method is valid. It also has the maximum
// of the parameters and of the calls in a turn or operation, and whether calls come one at a time.
// The connection is the identity: a Conn serves one worker process of one user, and no parameter
// can name another user. A call out of phase or over its limit ends the worker and is audited.
// (After the monitor of OpenSSH.)
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

// Reply is the growing answer that the user sees. None of its methods blocks.
type Reply interface {
	Add(text string)
	Commit(text string)
	Reset()
	Begin(ahead string)
	Note(text string)
	Tool(event protocol.TurnEvent)
}

// Options holds the common parts of all connections: the dependencies of each family of calls, and
// the rest.
type Options struct {
	ModelDependencies
	StepDependencies
	BlobDependencies
	ChatDependencies
	ActivityDependencies
	IndexDependencies
	ToolDependencies

	Table Table                             // the calls that workers may make
	Audit func(user, action, detail string) // stores the offence of a worker; never blocks
	Now   func() time.Time
	Log   hclog.Logger
}

// Turn is a turn to be given to a worker.
type Turn struct {
	ID           int64
	Conversation int64 // the conversation whose history the turn sees
	Destination  int64 // the conversation of its files and questions
	Kind         supervisor.TurnKind
	Model        string // provider/model; "" means the default model
	First        int64  // ID of the turn's first message; 0 means the user's last
	Step         int    // number of committed steps
	// limits of Steps and Output; 0 means only the limits of the table and the wire
	Limits   protocol.TurnLimits
	Pending  []protocol.PendingCall // calls of the last committed step without a result
	Reply    Reply
	Reserver Reserver // pays for the calls of models; nil means that no call is paid for
	Pot      string   // name of the pot that pays for model calls; "" means the user pays

	Material string // name of the bytes that a one-shot worker reads
	// CommitLast commits a step without further calls; text is the part that the user sees. It
	// returns whether the turn has ended with the step. nil means that such a step is committed
	// like any other.
	CommitLast func(ctx context.Context, step sqlite.Step, text string, replaced *modelcall.Replaced) (message int64, ended bool, err error)
}

// TurnOutcome is the supervisor's knowledge of a turn that has ended.
type TurnOutcome struct {
	// error of the last model call; nil if it succeeded. With WhyError it is never nil, and is
	// logged.
	Failure error
	// the model that should have made the turn's last step, if another model made it
	Replaced   *modelcall.Replaced
	AnsweredBy string // provider/model of the model that answered instead
}
