package budget

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// Advances holds the money that each turn sets aside for its first call of a model. The commit that
// starts the turn also stores the lease. The amount follows from the conversation's last call.
// Without a last call there is no advance, and the first call sets money aside itself.
type Advances struct {
	Leases Leases
	// Terms returns the limits of a conversation's user, as Options without a turn. ok is false if
	// no money may be set aside.
	Terms func(supervisor.Conversation) (o Options, ok bool)

	mu    sync.Mutex                       // guards the fields below
	last  map[int64]modelcall.CostEstimate // estimate of the last call, by conversation
	turns map[int64]*advance               // advance of each turn that has not ended, by turn

	releases releases
}

// advance is the advance of one turn.
type advance struct {
	lease  supervisor.Lease // the advance's lease as it is stored
	spec   string
	wanted int64 // the requested amount; limits may have made the lease smaller
	used   int64 // the most that the call paid by the lease can cost; 0 before the call
}

// slack says how much larger an advance is than the cost of the last call: by an eighth. The next
// call is longer, because it includes the last answer and the user's next message.
const slack = 8

// NextTurnLease returns the lease to request for a conversation's next turn; nil means none.
func (a *Advances) NextTurnLease(c supervisor.Conversation) *supervisor.LeaseRequest {
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
	return &supervisor.LeaseRequest{User: c.User, Conversation: c.ID, Spec: e.Spec, Amount: e.MaxCost + e.MaxCost/slack,
		Least: e.MinCost + e.MinCost/slack, Limits: r.limits()}
}

// BeginTurn records that a turn has started with a lease, and wakes calls that lack money. Until
// the turn calls a model, other calls may take the lease's money.
func (a *Advances) BeginTurn(turn int64, lease supervisor.Lease, of supervisor.LeaseRequest) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == nil {
		a.turns = map[int64]*advance{}
	}
	a.turns[turn] = &advance{lease: lease, spec: of.Spec, wanted: of.Amount}
	a.releases.Notify()
}

// EndAttempt records that an attempt at a turn has ended, and returns the unused money.
func (a *Advances) EndAttempt(ctx context.Context, turn int64) error {
	a.mu.Lock()
	now := a.turns[turn]
	delete(a.turns, turn)
	a.mu.Unlock()
	if now == nil || now.used > 0 {
		return nil
	}
	defer a.releases.Notify()
	return a.Leases.ReturnLease(context.WithoutCancel(ctx), now.lease.ID)
}

// take gives a turn's advance to its call. It returns the lease of the advance if that lease is
// enough, or if the limits did not allow more. Otherwise it returns the id of the lease, which a
// new lease must replace.
func (a *Advances) take(turn int64, e modelcall.CostEstimate) (lease supervisor.Lease, instead int64) {
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

// replaced records that a new lease has replaced a turn's advance.
func (a *Advances) replaced(turn int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.turns, turn)
	a.releases.Notify()
}

// remember stores the maximum cost of a conversation's last call.
func (a *Advances) remember(conversation int64, e modelcall.CostEstimate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[int64]modelcall.CostEstimate{}
	}
	e.OnWait = nil
	a.last[conversation] = e
}

// trim lowers leases to the most that their calls can cost, to free money for other calls. It
// returns an unused lease in full. The turn with that lease may itself wait for the call that lacks
// money. any reports whether trim freed money.
func (a *Advances) trim(ctx context.Context) (any bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for turn, now := range a.turns {
		switch now.used {
		case now.lease.Amount:
			continue
		case 0:
			now.spec = "" // no call gets this lease from here on, even if the lease could not be returned
			err = a.Leases.ReturnLease(ctx, now.lease.ID)
		default:
			err = a.Leases.LowerLease(ctx, now.lease.ID, now.used)
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
