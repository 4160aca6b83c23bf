// Package agent is the loop of a turn. It asks the model, runs the tools that the model has called,
// and asks again, until the model has answered, the turn was stopped, or a limit was reached. It
// does not know the wire: it asks Host for everything that the supervisor does.
//
// A crash cannot lose any state of the loop. The supervisor commits each message of the model
// before the loop gets it, and each result before the loop goes on. A turn that lost its worker is
// started again with the calls that have no result yet (protocol.TurnStart.PendingCalls). A tool
// with EffectOnce never runs twice.
package agent

import (
	"context"
	"errors"
	"io"
	"time"

	"mews/protocol"
	"mews/worker"
)

// Host is the supervisor as one turn sees it. Several goroutines call it at once. An error that is
// a *protocol.Error is the supervisor's answer; any other error means that the supervisor cannot be
// reached.
type Host interface {
	// NextModelMessage asks for the model's next message. after is the newest message of the
	// transcript.
	NextModelMessage(ctx context.Context, after int64, system string,
		tools []protocol.Tool) (protocol.ModelStreamResult,
		error)
	// CommitCallBegin commits that a tool with EffectOnce is about to run.
	CommitCallBegin(ctx context.Context, call protocol.ToolCall) error
	// CommitCallResult commits the result of a call, and returns the id of its message.
	CommitCallResult(ctx context.Context, result protocol.ToolResult) (int64, error)
	// SendEvent shows the user what a tool does. It does not block.
	SendEvent(event protocol.TurnEvent)
	// StoreBlob stores r, but not more than most bytes. r is a picture, or an output that was cut.
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
	// StoreUndoBlob stores the bytes of a file before a change, as StoreBlob does.
	StoreUndoBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Options of a turn.
type Options struct {
	Host   Host
	Tools  []worker.Tool // tools of the turn, sorted by name, no name twice
	System string        // the system text of the turn
	Report func(error)   // Report receives errors for the log, such as a tool's panic; may be nil
}

// errOutOfTime is the cause of the context's end when the turn's time is up.
var errOutOfTime = errors.New("the turn's time is up")

// graceAfterStop is how long a stopped turn may still commit the results of tools that had
// finished. It is shorter than the supervisor's wait for the answer to a cancelled turn.start.
const graceAfterStop = 3 * time.Second

// Run runs one turn to its end. When ctx ends, running tools are cancelled, no other tool starts,
// and the turn ends with TurnEndStopped. The supervisor then writes the missing results. Run
// returns when every tool has ended. An error means that the supervisor could not be reached or
// would not commit. The turn has not ended then, and may be started again from its last committed
// step.
func Run(ctx context.Context, start protocol.TurnStart, o Options) (protocol.TurnEnd, error) {
	limit := time.Duration(start.Limits.Seconds) * time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errOutOfTime)
	defer cancel()
	late, release := withGrace(ctx, graceAfterStop)
	defer release()

	t := newTurn(start, o, late)
	why, err := t.loop(ctx)
	if err != nil {
		return protocol.TurnEnd{}, err
	}
	return protocol.TurnEnd{Why: why, Steps: t.steps}, nil
}

// withGrace returns a context that outlives ctx by the time grace. The returned function ends the
// context at once.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, func()) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) })
	})
	return late, func() {
		stop()
		cancel(context.Canceled)
	}
}

// endReason returns why the turn of ctx has ended; "" if ctx has not ended.
func endReason(ctx context.Context) protocol.TurnEndReason {
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.Is(context.Cause(ctx), errOutOfTime):
		return protocol.TurnEndTimeLimit
	default:
		return protocol.TurnEndStopped
	}
}
