package app

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// pay makes a call of a model once, of a turn or with none. What it can cost, by its Usage, is set
// aside before it, and what it cost is kept by what the provider has counted; nothing counted is
// the Usage itself.
func (s *service) pay(ctx context.Context, turn supervisor.Turn, call sqlite.ModelCall, do func() (protocol.Usage, error)) error {
	call.User = turn.Conversation.User
	cost, priced := s.models.Cost(call.Spec, call.Usage, 0)
	reserver := s.reserver(turn)
	lease, err := reserver.Reserve(ctx, modelcall.Estimate{Spec: call.Spec, MaxCost: cost, Priced: priced})
	if err != nil {
		return err
	}
	counted, err := do()
	failed := new(modelcall.Error)
	if errors.As(err, &failed) && failed.Free {
		reserver.Return(ctx, lease.ID)
		return err
	}
	if ctx.Err() != nil {
		failed.Class = modelcall.Stopped
	}
	if counted.Input > 0 {
		call.Usage = counted
	}
	call.Usage.Estimated = err != nil
	if cost, priced = s.models.Cost(call.Spec, call.Usage, 0); priced {
		call.Cost = &cost
	}
	call.Lease, call.Class = lease.ID, failed.Class
	kept := s.db.Usage().Put(context.WithoutCancel(ctx), call)
	reserver.Settled(lease, kept == nil)
	return errors.Join(err, kept)
}
