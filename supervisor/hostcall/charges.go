package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/sqlite"
)

// charges is a turn's Reserver for one message, and what each lease of it is at most. It belongs to the goroutine that answers the
// model.stream.
type charges struct {
	supervisor.Reserver
	worst map[int64]int64 // millionths of a dollar, by lease
}

// open puts the turn's Reserver into a request; where it has none, the request has none.
func (b *charges) open(purse supervisor.Reserver, req *supervisor.ModelRequest) {
	if purse == nil {
		return
	}
	b.Reserver, b.worst = purse, map[int64]int64{}
	req.Reserver = b
}

// Reserve is the purse's, and remembers.
func (b *charges) Reserve(ctx context.Context, bid supervisor.Estimate) (lease int64, err error) {
	lease, err = b.Reserver.Reserve(ctx, bid)
	if lease != 0 {
		b.worst[lease] = bid.Worst
	}
	return lease, err
}

// price is what a call cost; nil where nobody knows. A call that was paid for and of which nobody knows it has cost all that
// was set aside.
func (s *stepStream) price(c sqlite.ModelCall) *int64 {
	micro, known := s.d.o.Models.Cost(c.Spec, c.Usage, s.d.o.Cache)
	if !known {
		micro, known = s.charges.worst[c.Lease], c.Lease != 0
	}
	if !known {
		return nil
	}
	return &micro
}

// priced is a call of this turn's with its cost.
func (s *stepStream) priced(c sqlite.ModelCall) sqlite.ModelCall {
	c.User, c.Conversation, c.Turn, c.Purpose = s.d.user, s.t.Conversation, s.t.ID, supervisor.PurposeChat
	c.Cost = s.price(c)
	return c
}

// charge keeps what a call has cost that has made its part of the message.
func (s *stepStream) charge(said supervisor.ModelAnswer) {
	s.paid = append(s.paid, s.priced(sqlite.ModelCall{Spec: said.Spec, Model: said.Model, Usage: said.Usage, Request: said.Request,
		Lease: said.Lease}))
}

// sum is what all calls of the message have cost, and their leases. A sum with a part that nobody knows is not known.
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

// chargeUnkept keeps what the calls have cost of a message that is not kept: they were paid for, whatever came of it.
func (s *stepStream) chargeUnkept(ctx context.Context) {
	for _, c := range s.paid {
		s.keepUsage(ctx, c)
	}
	s.paid = nil
}

// chargeFailed keeps what a failed attempt has counted.
func (s *stepStream) chargeFailed(ctx context.Context, f model.Failure) {
	s.keepUsage(ctx, s.priced(sqlite.ModelCall{Spec: f.Spec, Class: f.Class, Usage: f.Usage, Request: f.Request, Lease: f.Lease}))
}

// keepUsage keeps a call that leaves no message, also when its turn has been stopped. A lease that can't be ended so is ended when
// the service starts again.
func (s *stepStream) keepUsage(ctx context.Context, c sqlite.ModelCall) {
	if err := s.d.o.Usage.Put(context.WithoutCancel(ctx), c); err != nil {
		s.d.o.Log.Error("keep the usage of a call", "user", s.d.user, "turn", s.t.ID, "lease", c.Lease, "error", err)
	}
}
