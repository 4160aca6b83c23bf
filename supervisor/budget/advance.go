package budget

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// Advances are what turns have set aside as they start, in the commit that starts them, for their
// first call of a model. How much that is is taken from the last call of the turn's conversation;
// without one there is none, and the call has a lease by itself.
type Advances struct {
	Leases Leases
	// Terms are what holds for a conversation's person: an Options without a turn. It is not ok
	// where nothing is to be set aside.
	Terms func(supervisor.Conversation) (o Options, ok bool)

	mu    sync.Mutex                   // guards what follows
	last  map[int64]modelcall.Estimate // by conversation
	turns map[int64]*advance           // by turn, until that ends

	releases releases
}

// advance is a turn's.
type advance struct {
	lease  supervisor.Lease // as it is on disk
	spec   string
	wanted int64 // the lease is of less where the limits did not allow that
	used   int64 // what the call can cost that has it; 0 while none has
}

// slack is what part of an advance is beyond the conversation's last call: its answer and the
// person's next words are in the next one.
const slack = 8

// Claim is what is to be set aside for the next turn of a conversation; nil for nothing.
func (a *Advances) Claim(c supervisor.Conversation) *supervisor.Claim {
	a.mu.Lock()
	e, known := a.last[c.ID]
	a.mu.Unlock()
	if !known {
		return nil
	}
	o, ok := a.Terms(c)
	if !ok {
		return nil
	}
	r := New(o)
	if len(r.limits()) == 0 {
		return nil
	}
	return &supervisor.Claim{User: c.User, Conversation: c.ID, Spec: e.Spec, Amount: e.MaxCost + e.MaxCost/slack,
		Least: e.MinCost + e.MinCost/slack, Limits: r.limits()}
}

// Begin is to be called when a turn has started with a lease. Whoever lacks money looks again:
// until a call has the lease, it may be taken back.
func (a *Advances) Begin(turn int64, lease supervisor.Lease, of supervisor.Claim) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == nil {
		a.turns = map[int64]*advance{}
	}
	a.turns[turn] = &advance{lease: lease, spec: of.Spec, wanted: of.Amount}
	a.releases.Notify()
}

// End is to be called when an attempt at a turn has ended: what no call of it has taken is given
// back.
func (a *Advances) End(ctx context.Context, turn int64) error {
	a.mu.Lock()
	now := a.turns[turn]
	delete(a.turns, turn)
	a.mu.Unlock()
	if now == nil || now.used > 0 {
		return nil
	}
	defer a.releases.Notify()
	return a.Leases.Return(context.WithoutCancel(ctx), now.lease.ID)
}

// take gives a turn's advance to its call: the lease, where that is enough or all that the limits
// allowed, else the lease that another is to take the place of.
func (a *Advances) take(turn int64, e modelcall.Estimate) (lease supervisor.Lease, instead int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.turns[turn]
	if now == nil || now.used > 0 {
		return lease, 0
	}
	enough := e.MaxCost
	if now.lease.Amount < now.wanted {
		enough = e.MinCost
	}
	if now.spec != e.Spec || now.lease.Amount < enough {
		return lease, now.lease.ID
	}
	now.used = min(now.lease.Amount, e.MaxCost)
	return supervisor.Lease{ID: now.lease.ID, Amount: now.used}, 0
}

// replaced says that a turn's advance has ended: another lease has taken its place.
func (a *Advances) replaced(turn int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.turns, turn)
	a.releases.Notify()
}

// remember keeps what a conversation's last call could cost.
func (a *Advances) remember(conversation int64, e modelcall.Estimate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[int64]modelcall.Estimate{}
	}
	e.OnWait = nil
	a.last[conversation] = e
}

// trim has advances be no more than what the calls that have them can cost, for somebody who lacks
// it. One that no call has is given back: its turn may itself wait for whoever lacks it. It says
// whether there was anything.
func (a *Advances) trim(ctx context.Context) (any bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for turn, now := range a.turns {
		switch now.used {
		case now.lease.Amount:
			continue
		case 0:
			now.spec = "" // no call gets it from here on, whether it is still on disk or not
			err = a.Leases.Return(ctx, now.lease.ID)
		default:
			err = a.Leases.Trim(ctx, now.lease.ID, now.used)
		}
		if err != nil {
			return any, err
		}
		if now.lease.Amount, any = now.used, true; now.used == 0 {
			delete(a.turns, turn)
		}
	}
	return any, nil
}
