package hostcall

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// commitStep keeps how far a tool call has come. The store refuses a call that the turn has not made.
func commitStep(ctx context.Context, d *Desk, t *turn, p *protocol.StepCommit) (any, error) {
	switch p.State {
	case protocol.StateBegun:
		if err := d.o.Steps.CommitBegun(ctx, t.ID, p.Call); err != nil {
			return nil, d.failed("commit that a tool began", t, err)
		}
		return protocol.StepCommitted{}, nil
	case protocol.StateDone:
		return d.commitResult(ctx, t, p)
	}
	return nil, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "state: want begun or done"}
}

func (d *Desk) commitResult(ctx context.Context, t *turn, p *protocol.StepCommit) (any, error) {
	if p.Result == nil || p.Result.Call != p.Call {
		return nil, &protocol.Error{Code: protocol.CodeInvalidParams, Message: "result: want one of the same call"}
	}
	id, err := d.o.Steps.CommitResult(ctx, t.ID, *p.Result)
	if err != nil {
		return nil, d.failed("commit a tool's result", t, err)
	}
	t.committed(id)
	return protocol.StepCommitted{Message: id}, nil
}

// failed logs what the supervisor could not do, and tells the worker only what a person may read.
func (d *Desk) failed(attempt string, t *turn, err error) error {
	if supervisor.ErrorCode(err) == supervisor.CodeInternal && t.ctx.Err() == nil {
		d.o.Log.Error(attempt, "user", d.user, "turn", t.ID, "error", err)
	}
	return &protocol.Error{Code: protocol.CodeFailed, Message: supervisor.ErrorMessage(err)}
}
