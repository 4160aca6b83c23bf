// Package hostcall answers what a worker asks of the supervisor.
//
// The worker is taken for hostile: it runs tools on text that strangers wrote. So what it may ask
// is one table, made of a row for each method. The core's rows stand in the file of their family,
// beside the functions that answer; a feature's come with it (package feature). A row says in which phase and in which kinds of turn the method is
// valid, how long its parameters may be, how often a turn or operation may ask, and whether one at
// a time. Identity is the connection: a Conn serves one worker process of one person, and no
// parameter can name another. A call out of phase or over its limit ends the worker and is audited.
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

// Reply is the answer that the person sees grow. None of its methods blocks.
type Reply interface {
	Add(text string)
	Commit(text string)
	Reset()
	Begin(ahead string)
	Note(text string)
	Tool(event protocol.TurnEvent)
}

// Options are what all connections share: what each family of calls needs, and the rest.
type Options struct {
	ModelDependencies
	StepDependencies
	BlobDependencies
	ChatDependencies
	ActivityDependencies
	IndexDependencies
	ToolDependencies

	Table Table                             // what workers may ask
	Audit func(user, action, detail string) // keeps what a hostile worker did; never blocks
	Now   func() time.Time
	Log   hclog.Logger
}

// Turn is a turn that a worker is about to be given.
type Turn struct {
	ID           int64
	Conversation int64 // whose history it sees
	Destination  int64 // the conversation where its files and its questions go
	Kind         supervisor.TurnKind
	Model        string // provider/model; "" is the default
	First        int64  // the message that it began with; 0: the person's last
	Step         int    // steps committed so far
	// Steps and Output; 0 is no limit but that of the table and of the wire
	Limits   protocol.TurnLimits
	Pending  []protocol.PendingCall // calls of the last committed step that have no result
	Reply    Reply
	Reserver Reserver // pays for the calls of models; nil: nobody asks
	Pot      string   // of which they are paid; "" is its person

	Material string // of a kind with a worker of its own: the name of the bytes that it reads
	// CommitLast commits a step that asks for nothing more, of which text is what the person sees,
	// and says whether the turn has ended with it. nil: such a step is committed as any other.
	CommitLast func(ctx context.Context, step sqlite.Step, text string, replaced *modelcall.Replaced) (message int64, ended bool, err error)
}

// TurnOutcome is what the supervisor knows of a turn that has ended.
type TurnOutcome struct {
	// why its last model call failed, nil where it did not; with WhyError always something, which
	// the log has
	Failure error
	// the model that was to make its last step, where another one did
	Replaced *modelcall.Replaced
	Answered string // provider/model of that other one
}
