package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Reserve is the turn's, and remembers what the lease is at most.
func (s *stepStream) Reserve(ctx context.Context, e supervisor.Estimate) (lease int64, err error) {
	lease, err = s.Reserver.Reserve(ctx, e)
	if lease != 0 {
		s.maxCosts[lease] = e.MaxCost
	}
	return lease, err
}

// Return is the turn's.
func (s *stepStream) Return(ctx context.Context, lease int64) { s.Reserver.Return(ctx, lease) }

// priced is a call of this turn's with its cost. Where nobody knows the price, the cost is all that was set aside for the
// call, and nil where nothing was.
func (s *stepStream) priced(c sqlite.ModelCall) sqlite.ModelCall {
	c.User, c.Conversation, c.Turn, c.Purpose = s.user, s.Conversation, s.ID, supervisor.PurposeChat
	micro, known := s.o.Models.Cost(c.Spec, c.Usage, s.o.Cache)
	if !known {
		micro, known = s.maxCosts[c.Lease], c.Lease != 0
	}
	if known {
		c.Cost = &micro
	}
	return c
}

// sum is what all calls of the message have cost, and their leases. A sum with a part that nobody knows is nil.
func (s *stepStream) sum() (cost *int64, leases []int64) {
	total, known := int64(0), len(s.paid) > 0
	for _, c := range s.paid {
		if c.Lease != 0 {
			leases = append(leases, c.Lease)
		}
		if c.Cost == nil {
			known = false
			continue
		}
		total += *c.Cost
	}
	if !known {
		return nil, leases
	}
	return &total, leases
}

// chargeUnkept keeps what the calls have cost of a message that is not kept: they were paid for all the same.
func (s *stepStream) chargeUnkept(ctx context.Context) {
	for _, c := range s.paid {
		s.keepUsage(ctx, c)
	}
}

// chargeFailed keeps what a failed call has counted.
func (s *stepStream) chargeFailed(ctx context.Context, f supervisor.ModelFailure) {
	s.keepUsage(ctx, s.priced(sqlite.ModelCall{Spec: f.Spec, Class: f.Class, Usage: f.Usage, Request: f.Request, Lease: f.Lease}))
}

// keepUsage keeps a call that leaves no message, also when its turn has been stopped. A lease that cannot be ended so is
// ended when the service starts again.
func (s *stepStream) keepUsage(ctx context.Context, c sqlite.ModelCall) {
	if err := s.o.Usage.Put(context.WithoutCancel(ctx), c); err != nil {
		s.log().Error("keep the usage of a call", "lease", c.Lease, "error", err)
	}
}
