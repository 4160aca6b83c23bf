package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// Reserver pays for the calls of models of a turn.
type Reserver interface {
	modelcall.Reserver
	// Settled is to be called when a lease's call has ended, after its usage was kept with it. kept
	// is false where that failed: the lease is then set aside for as long as the service runs.
	Settled(l supervisor.Lease, kept bool)
}

// Reserve is the turn's, and remembers what the lease is at most.
func (s *stepStream) Reserve(ctx context.Context, e modelcall.Estimate) (lease supervisor.Lease, err error) {
	lease, err = s.Reserver.Reserve(ctx, e)
	if lease.ID != 0 {
		s.maxCosts[lease.ID] = lease.Amount
	}
	return lease, err
}

// Return is the turn's.
func (s *stepStream) Return(ctx context.Context, lease int64) { s.Reserver.Return(ctx, lease) }

// settled tells the turn's Reserver of a lease whose call has ended; 0 is none.
func (s *stepStream) settled(lease int64, kept bool) {
	if lease != 0 {
		s.Reserver.Settled(supervisor.Lease{ID: lease, Amount: s.maxCosts[lease]}, kept)
	}
}

// priced is a call of this turn's with its cost. Where nobody knows the price, the cost is all that
// was set aside for the call, and nil where nothing was.
func (s *stepStream) priced(c sqlite.ModelCall) sqlite.ModelCall {
	c.User, c.Conversation, c.Turn, c.Purpose, c.Pot = s.user, s.Conversation, s.ID, modelcall.PurposeChat, s.Pot
	micro, known := s.o.Models.Cost(c.Spec, c.Usage, s.o.Cache)
	if !known {
		micro, known = s.maxCosts[c.Lease], c.Lease != 0
	}
	if known {
		c.Cost = &micro
	}
	return c
}

// charge keeps what the call has cost whose answer is not kept, or is gone on with: it was paid for
// all the same.
func (s *stepStream) charge(ctx context.Context) {
	if s.paid != nil {
		s.keepUsage(ctx, *s.paid)
		s.paid = nil
	}
}

// chargeFailed keeps what a failed call has counted.
func (s *stepStream) chargeFailed(ctx context.Context, f modelcall.Failure) {
	s.keepUsage(ctx, s.priced(sqlite.ModelCall{Spec: f.Spec, Class: f.Class, Usage: f.Usage, Request: f.Request, Lease: f.Lease}))
}

// keepUsage keeps a call that leaves no message, also when its turn has been stopped. A lease that
// cannot be ended so is ended when the service starts again.
func (s *stepStream) keepUsage(ctx context.Context, c sqlite.ModelCall) {
	err := s.o.Usage.Put(context.WithoutCancel(ctx), c)
	if err != nil {
		s.log().Error("keep the usage of a call", "lease", c.Lease, "error", err)
	}
	s.settled(c.Lease, err == nil)
}
