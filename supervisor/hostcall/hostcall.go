// Package hostcall answers what a worker asks of the supervisor.
//
// The worker is taken for hostile: it runs tools on text that strangers wrote. So what it may ask is one table (calls,
// in table.go): each row with the phase it belongs to, how often a turn may ask it, whether one at a time, and one small
// function. Identity is the connection: a Conn serves one worker process of one person, and no parameter can name
// another. A call out of phase or over its limit ends the worker and is audited. (After the monitor of OpenSSH.)
package hostcall

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Peer is the worker that a connection serves.
type Peer interface {
	Notify(ctx context.Context, method string, params any) error
	// End ends the worker without waiting for it.
	End(reason error)
}

// Steps commits what a turn has come to.
type Steps interface {
	CommitStep(ctx context.Context, step sqlite.Step) (message int64, err error)
	CommitBegun(ctx context.Context, turn int64, call string) error
	CommitResult(ctx context.Context, turn int64, result protocol.ToolResult) (message int64, err error)
	Take(ctx context.Context, turn int64, room int) (taken int, err error)
}

// Transcript is what was said in a conversation.
type Transcript interface {
	Since(ctx context.Context, conversation, after int64) (newer []protocol.Message, from int64, err error)
	Trim(ctx context.Context, conversation, from int64) error
}

// Models calls a model; spec is provider/model, "" the default.
type Models interface {
	Stream(ctx context.Context, spec string, req supervisor.ModelRequest, delta func(supervisor.ModelDelta)) (
		supervisor.ModelAnswer, error)
	// Cost is what a call cost in millionths of a dollar. kept is for how long its prefix was to be kept.
	Cost(spec string, u protocol.Usage, kept time.Duration) (micro int64, known bool)
}

// Usage keeps what calls counted that left no message.
type Usage interface {
	Put(ctx context.Context, call sqlite.ModelCall) error
}

// Blobs knows whose the bytes in the spool are.
type Blobs interface {
	Put(ctx context.Context, user string, ref protocol.BlobRef, turn int64) error
	Owns(ctx context.Context, user, sha256 string) (size int64, ok bool, err error)
	Kept(ctx context.Context, user string, since time.Time) (bytes int64, err error)
}

// Spool keeps bytes.
type Spool interface {
	Create() (*spool.Writer, error)
	ReadAt(sha256 string, p []byte, offset int64) (n int, size int64, err error)
}

// Reply is the answer that the person sees grow. None of its methods blocks.
type Reply interface {
	Add(text string)
	Commit(text string)
	Reset()
	Tool(event protocol.TurnEvent)
}

// Options are what all connections share.
type Options struct {
	Steps      Steps
	Transcript Transcript
	Models     Models
	Usage      Usage
	Blobs      Blobs
	Spool      Spool
	Approver   Approver // with Sender; where one of them is nil, no files are sent
	Sender     Sender
	Audit      func(user, action, detail string)                      // keeps what a hostile worker did; never blocks
	History    int                                                    // tokens of history that a request may carry
	Thinking   supervisor.Thinking                                    // how long a model may think
	Cache      time.Duration                                          // for how long providers are to keep what is the same in the next request
	Now        func() time.Time                                       // nil is time.Now
	Busy       func(ctx context.Context, user string) supervisor.Busy // what they want with what they send while a turn runs; nil: BusyQueue
	Log        hclog.Logger
}

// Turn is a turn that a worker is about to be given.
type Turn struct {
	ID           int64
	Conversation int64
	Model        string                 // provider/model; "" is the default
	First        int64                  // the message that it began with; 0: the person's last
	Step         int                    // steps committed so far
	Limits       protocol.TurnLimits    // Steps and Output; 0 is no limit but that of the table and of the wire
	Pending      []protocol.PendingCall // calls of the last committed step that have no result
	Reply        Reply
	Purse        supervisor.Reserver // pays for the calls of models; nil: nobody asks
}
