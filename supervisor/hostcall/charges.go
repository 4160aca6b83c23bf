package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// Reserver reserves money for the model calls of a turn.
type Reserver interface {
	modelcall.MoneyReserver
	// OnSettled must be called after a lease's call has ended. kept reports whether the call's
	// usage was stored with the lease. If kept is false, the lease stays until the service ends.
	OnSettled(l supervisor.Lease, kept bool)
}

// Reserve reserves money from the turn's Reserver, and remembers the amount.
func (s *stepStream) Reserve(ctx context.Context, e modelcall.CostEstimate) (lease supervisor.Lease, err error) {
	lease, err = s.Reserver.Reserve(ctx, e)
	if lease.ID != 0 {
		s.maxCosts[lease.ID] = lease.Amount
	}
	return lease, err
}

// ReturnLease returns a lease to the turn's Reserver.
func (s *stepStream) ReturnLease(ctx context.Context, lease int64) {
	s.Reserver.ReturnLease(ctx, lease)
}

// settled tells the turn's Reserver that a lease's call has ended; lease 0 means no lease.
func (s *stepStream) settled(lease int64, kept bool) {
	if lease != 0 {
		s.Reserver.OnSettled(supervisor.Lease{ID: lease, Amount: s.maxCosts[lease]}, kept)
	}
}

// priced returns a call with its turn and its cost. If the price is unknown, the cost is the whole
// lease. Without a lease an unknown cost is nil.
func (s *stepStream) priced(c sqlite.ModelCall) sqlite.ModelCall {
	c.User, c.Conversation, c.Turn, c.Purpose, c.Pot = s.user, s.Conversation, s.ID, modelcall.PurposeChat, s.Pot
	micro, known := s.o.Models.Cost(c.Spec, c.Usage, s.cacheTime())
	if !known {
		micro, known = s.maxCosts[c.Lease], c.Lease != 0
	}
	s.outcome.Tokens += c.Usage.Input + c.Usage.Output
	if known {
		c.Cost = &micro
		s.outcome.Cost += micro
	}
	return c
}

// charge stores the cost of a call whose answer is dropped, or is continued by another call. The
// provider charges for that call, too.
func (s *stepStream) charge(ctx context.Context) {
	if s.paid != nil {
		s.keepUsage(ctx, *s.paid)
		s.paid = nil
	}
}

// chargeFailed stores the usage of a failed call.
func (s *stepStream) chargeFailed(ctx context.Context, f modelcall.FailedAttempt) {
	s.keepUsage(ctx, s.priced(sqlite.ModelCall{Spec: f.Spec, Class: f.Class, Usage: f.Usage, Request: f.Request, Lease: f.Lease}))
}

// keepUsage stores the usage of a call that leaves no message, even if the turn was stopped. If
// storing fails, the call's lease ends at the next start of the service.
func (s *stepStream) keepUsage(ctx context.Context, c sqlite.ModelCall) {
	err := s.o.Usage.PutCall(context.WithoutCancel(ctx), c)
	if err != nil {
		s.log().Error("keep the usage of a call", "lease", c.Lease, "error", err)
	}
	s.settled(c.Lease, err == nil)
}
