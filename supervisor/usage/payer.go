package usage

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// MoneyReserver sets money aside for the calls of one turn, and learns when a call has ended.
type MoneyReserver interface {
	modelcall.MoneyReserver
	// OnSettled is called when a call has ended and its usage was stored. kept is false if the
	// usage could not be stored.
	OnSettled(l supervisor.Lease, kept bool)
}

// Payer pays for calls of models that are not steps of a turn.
type Payer struct {
	Models   *model.Catalogue
	Store    sqlite.Usage
	Reserver func(supervisor.Turn) MoneyReserver
}

// PayCall makes a call of a model and pays for it. If the call belongs to no turn, turn has only a
// Conversation. Before the call, PayCall sets aside the largest cost of call.Usage. Afterwards it
// stores the usage that the provider has counted. If the provider has counted nothing, PayCall
// stores call.Usage.
func (p Payer) PayCall(ctx context.Context, turn supervisor.Turn, call sqlite.ModelCall,
	do func() (protocol.Usage, error)) error {
	call.User = turn.Conversation.User
	cost, priced := p.Models.Cost(call.Spec, call.Usage, 0)
	reserver := p.Reserver(turn)
	lease, err := reserver.Reserve(ctx, modelcall.CostEstimate{Spec: call.Spec, MaxCost: cost, Priced: priced})
	if err != nil {
		return err
	}
	counted, err := do()
	failed := new(modelcall.Error)
	if errors.As(err, &failed) && failed.Free || errors.Is(err, modelcall.ErrModelNotCalled) {
		reserver.ReturnLease(ctx, lease.ID)
		return err
	}
	if ctx.Err() != nil {
		failed.Class = modelcall.CallStopped
	}
	if counted.Input > 0 {
		call.Usage = counted
	}
	call.Usage.Estimated = err != nil
	if cost, priced = p.Models.Cost(call.Spec, call.Usage, 0); priced {
		call.Cost = &cost
	}
	call.Lease, call.Class = lease.ID, failed.Class
	kept := p.Store.PutCall(context.WithoutCancel(ctx), call)
	reserver.OnSettled(lease, kept == nil)
	return errors.Join(err, kept)
}

// Charge is the price of a tool's call to another server.
type Charge struct {
	Name  string // name of the server in usage, such as search/brave
	Price int64  // in millionths of a dollar
}

// PayExternal makes a tool's call to another server, and pays for it. It sets the price aside
// before the call. The function do says whether the server may charge for the call.
func (p Payer) PayExternal(ctx context.Context, turn supervisor.Turn, c Charge,
	do func() (charged bool, err error)) error {
	reserver := p.Reserver(turn)
	lease, err := reserver.Reserve(ctx, modelcall.CostEstimate{Spec: c.Name, MaxCost: c.Price, Priced: true,
		External: true})
	if err != nil {
		return err
	}
	charged, err := do()
	if !charged {
		reserver.ReturnLease(ctx, lease.ID)
		return err
	}
	call := sqlite.ModelCall{User: turn.Conversation.User, Conversation: turn.Conversation.ID, Turn: turn.ID,
		Spec: c.Name, Purpose: modelcall.PurposeExternal, Cost: &c.Price, Lease: lease.ID}
	if err != nil {
		call.Class = modelcall.NetworkError
	}
	kept := p.Store.PutCall(context.WithoutCancel(ctx), call)
	reserver.OnSettled(lease, kept == nil)
	return errors.Join(err, kept)
}
