package hostcall

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mews/protocol"
	"mews/supervisor"
)

// commitStep keeps how far a tool call has come. The store refuses a call that the turn has not made.
func commitStep(ctx context.Context, d *Conn, t *turn, p *protocol.StepCommit) (any, error) {
	if len(p.Call) > maxName {
		return nil, d.offence(protocol.MethodStepCommit, fmt.Errorf("call: %d bytes, at most %d", len(p.Call), maxName))
	}
	switch p.State {
	case protocol.StateBegun:
		_, err := commitRetrying(ctx, d, t, func() (struct{}, error) {
			return struct{}{}, d.o.Steps.CommitBegun(ctx, t.ID, p.Call)
		})
		if err != nil {
			return nil, d.failed("commit that a tool began", t, err)
		}
		return protocol.StepCommitted{}, nil
	case protocol.StateDone:
		return d.commitResult(ctx, t, p)
	}
	return nil, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "state: want begun or done"}
}

func (d *Conn) commitResult(ctx context.Context, t *turn, p *protocol.StepCommit) (any, error) {
	if p.Result == nil || p.Result.Call != p.Call {
		return nil, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "result: want one of the same call"}
	}
	var err error
	wrong := t.checkResult(p.Result)
	if wrong == nil {
		wrong, err = pictures{d}.check(ctx, p.Result.Images)
	}
	if err != nil {
		return nil, d.failed("look for a result's pictures", t, err)
	}
	if wrong != nil {
		return nil, d.offence(protocol.MethodStepCommit, fmt.Errorf("result of call %s: %w", printable(p.Call, maxName), wrong))
	}
	id, err := commitRetrying(ctx, d, t, func() (int64, error) { return d.o.Steps.CommitResult(ctx, t.ID, *p.Result) })
	if err != nil {
		return nil, d.failed("commit a tool's result", t, err)
	}
	return protocol.StepCommitted{Message: id}, nil
}

// commitRetrying commits, and where the disk is full or does not answer it tries again until there is room or the turn ends: what
// was done already must not be lost for want of a commit.
func commitRetrying[T any](ctx context.Context, d *Conn, t *turn, commit func() (T, error)) (T, error) {
	return backoff.Retry(ctx, func() (T, error) {
		kept, err := commit()
		if err != nil && supervisor.ErrorCode(err) != supervisor.CodeUnavailable {
			err = backoff.Permanent(err)
		}
		return kept, err
	}, backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, again time.Duration) {
		d.o.Log.Error("commit a step", "user", d.user, "turn", t.ID, "error", err, "again_in", again)
	}))
}

// failed logs what the supervisor could not do, and tells the worker only what a person may read.
func (d *Conn) failed(attempt string, t *turn, err error) error {
	if supervisor.ErrorCode(err) == supervisor.CodeInternal && t.ctx.Err() == nil {
		d.o.Log.Error(attempt, "user", d.user, "turn", t.ID, "error", err)
	}
	return &protocol.Error{Code: protocol.CodeFailed, Message: supervisor.ErrorMessage(err)}
}
