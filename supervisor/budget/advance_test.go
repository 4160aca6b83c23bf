package budget

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// countingLeases counts the writes of leases.
type countingLeases struct {
	sqlite.Leases
	writes int
	fails  error // error that the next call of TakeLease returns
}

func (c *countingLeases) TakeLease(ctx context.Context, claim supervisor.LeaseRequest) (l supervisor.Lease,
	short []supervisor.BudgetShortage, err error) {
	c.writes++
	if err := c.fails; err != nil {
		c.fails = nil
		return l, nil, err
	}
	return c.Leases.TakeLease(ctx, claim)
}

func (c *countingLeases) LowerLease(ctx context.Context, lease, amount int64) error {
	c.writes++
	return c.Leases.LowerLease(ctx, lease, amount)
}

func (c *countingLeases) ReturnLease(ctx context.Context, lease int64) error {
	c.writes++
	return c.Leases.ReturnLease(ctx, lease)
}

// advancing is a rig whose turns start with an advance.
type advancing struct {
	*rig
	leases *countingLeases
	served bool
}

func newAdvancing(t *testing.T, limits supervisor.Budget) *advancing {
	t.Helper()
	a := &advancing{rig: newRig(t, limits), served: true}
	a.leases = &countingLeases{Leases: a.db.Leases()}
	a.o.Leases = a.leases
	a.o.Advances = &Advances{Leases: a.leases, Terms: func(c supervisor.Conversation) (Options, bool) {
		o := a.o
		o.Turn, o.Conversation = 0, c
		return o, a.served
	}}
	return a
}

// next returns a user's next turn in a chat, with its advance and its Reserver. The Reserver has
// not written anything yet.
func (a *advancing) next(user, chat, key string) (supervisor.Turn, *Reserver) {
	a.Helper()
	in, _, err := a.db.Inbox().StoreInbound(a.Context(), supervisor.Inbound{Source: "terminal", Key: key,
		Kind: supervisor.KindText, Text: "hi",
		Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: chat}})
	a.must(err)
	claim := a.o.Advances.NextTurnLease(in.Conversation)
	turn, lease, err := a.db.Turns().Start(a.Context(), in.ID, claim)
	a.must(err)
	if lease.ID != 0 {
		a.o.Advances.BeginTurn(turn.ID, lease, *claim)
	}
	o := a.o
	o.Turn, o.Conversation = turn.ID, turn.Conversation
	a.leases.writes = 0
	return turn, New(o)
}

// end ends a turn after a call with the given cost.
func (a *advancing) end(turn supervisor.Turn, cost, lease int64) {
	a.Helper()
	a.spend(turn, cost, lease)
	a.must(a.o.Advances.EndAttempt(a.Context(), turn.ID))
	_, err := a.db.Turns().Finish(a.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: "done",
		State: supervisor.InboundAnswered})
	a.must(err)
}

// held returns the amounts of all leases.
func (a *advancing) held() string {
	a.Helper()
	return fmt.Sprint(sqlitetest.QueryColumn(a, a.db, "SELECT amount FROM lease ORDER BY id"))
}

// first runs a first turn in a chat; its call may cost 8 cents.
func (a *advancing) first(user, chat string) {
	a.Helper()
	turn, r := a.next(user, chat, chat+" first")
	a.same("a first turn has", a.held(), "[]")
	a.end(turn, cent, a.paid(r, bid(8*cent)))
}

func TestAdvance_CoversFirstCall(t *testing.T) {
	for name, c := range map[string]struct {
		limits supervisor.Budget
		bid    modelcall.CostEstimate
		begins string // amounts of the leases at the turn's start
		writes int
		holds  string // amounts of the leases during the turn's call
	}{
		"enough": {supervisor.Budget{Day: 100 * cent}, bid(8*cent + 9999), "[90000]", 0, "[90000]"},
		"more":   {supervisor.Budget{Day: 100 * cent}, bid(20 * cent), "[90000]", 1, "[200000]"},
		"another model": {supervisor.Budget{Day: 100 * cent}, modelcall.CostEstimate{Spec: "c/d",
			MaxCost: cent, Priced: true}, "[90000]", 1, "[10000]"},
		"there is only just enough": {supervisor.Budget{Day: 9 * cent}, bid(8 * cent), "[]", 1, "[80000]"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAdvancing(t, c.limits)
			a.first("bob", "2")
			turn, r := a.next("bob", "2", "second")
			a.same("as it begins", a.held(), c.begins)
			lease := a.paid(r, c.bid)
			a.same("writes", a.leases.writes, c.writes)
			a.same("for its call", a.held(), c.holds)
			a.end(turn, cent, lease)
			a.same("after it", a.held(), "[]")
		})
	}
}

// TestAdvance_LowLimit_UsesRemainingMoney covers a limit below the maximum cost. The turn starts
// with all remaining money, and its call uses that lease without another write.
func TestAdvance_LowLimit_UsesRemainingMoney(t *testing.T) {
	for name, c := range map[string]struct {
		least  int64
		begins string
		writes int
	}{
		"that is enough": {5 * cent, "[60000]", 0},
		// the minimum is an eighth more than the cost of the previous call
		"with a little more not": {6 * cent, "[]", 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAdvancing(t, supervisor.Budget{Day: 7 * cent})
			e := bid(8 * cent)
			e.MinCost = c.least
			turn, r := a.next("bob", "2", "first")
			a.end(turn, cent, a.paid(r, e))
			turn, r = a.next("bob", "2", "second")
			a.same("as it begins", a.held(), c.begins)
			lease, err := r.Reserve(t.Context(), e)
			a.must(err)
			a.same("writes", a.leases.writes, c.writes)
			a.same("for its call", lease.Amount, int64(6*cent))
			a.end(turn, cent, lease.ID)
			a.same("after it", a.held(), "[]")
		})
	}
}

// A search that costs money takes a lease of its own, and does not count as the conversation's last
// call of a model.
func TestAdvance_ExternalCall_LeavesAdvance(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	turn, r := a.next("bob", "2", "second")
	a.same("as it begins", a.held(), "[90000]")
	search := a.paid(r, modelcall.CostEstimate{Spec: "search/a", MaxCost: cent, Priced: true, External: true})
	a.same("in the search", a.held(), "[90000 10000]")
	lease := a.paid(r, bid(8*cent))
	a.spend(turn, cent, search)
	a.end(turn, cent, lease)
	_, _ = a.next("bob", "2", "third")
	a.same("as the next turn begins", a.held(), "[90000]")
}

func TestAdvance_Unused_IsReturned(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	turn, _ := a.next("bob", "2", "second")
	ended, end := context.WithCancel(t.Context())
	end()
	a.must(a.o.Advances.EndAttempt(ended, turn.ID))
	a.same("after an attempt that asked no model", a.held(), "[]")
	a.must(a.o.Advances.EndAttempt(ended, turn.ID))
	a.same("writes", a.leases.writes, 1)
}

func TestAdvance_ExtensionFails_KeepsLease(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	turn, r := a.next("bob", "2", "second")
	a.leases.fails = errors.New("the disk is full")
	if _, err := r.Reserve(t.Context(), bid(20*cent)); err == nil {
		t.Error("it was paid for")
	}
	a.same("then", a.held(), "[90000]")
	a.must(a.o.Advances.EndAttempt(t.Context(), turn.ID))
	a.same("after the attempt", a.held(), "[]")
}

// TestAdvance_MoneyShort_SurplusIsTakenBack checks that a call that lacks money first gets the
// surplus of other calls. Only then is the user refused or asked.
func TestAdvance_MoneyShort_SurplusIsTakenBack(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	turn, r := a.next("bob", "2", "second")
	lease := a.paid(r, bid(8*cent))
	a.o.Limits.Day = 17 * cent // one of these 17 cents is already spent
	_, other := a.next("bob", "3", "other")
	a.paid(other, bid(8*cent))
	a.same("set aside", a.held(), "[80000 80000]")
	if got := a.refused(other, bid(17*cent)); got == "" {
		t.Error("it says nothing")
	}
	// Five writes: a request finds too little money, the trim frees some, and a request succeeds.
	// Later a request finds too little although no running call can help. Another request is made
	// before the question to the user.
	a.same("writes", a.leases.writes, 5)
	a.end(turn, cent, lease)
}

func TestAdvance_WithoutLimit_NeedsNoLease(t *testing.T) {
	for name, change := range map[string]func(a *advancing){
		"no limit":   func(a *advancing) { a.o.Limits = supervisor.Budget{} },
		"not served": func(a *advancing) { a.served = false },
	} {
		a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
		a.first("bob", "2")
		change(a)
		a.next("bob", "2", "second")
		a.same(name, a.held(), "[]")
	}
}

// patient reserves money for a call. It fails if the call must wait.
func (a *advancing) patient(r *Reserver, e modelcall.CostEstimate) (supervisor.Lease, error) {
	ctx, stop := context.WithCancelCause(a.Context())
	defer stop(nil)
	e.OnWait = func(string) { stop(errors.New("it waits")) }
	return r.Reserve(ctx, e)
}

// TestAdvance_UnusedMoney_IsFreedForOthers covers a turn that has started and waits for the user's
// worker. That worker may be busy with the turn that lacks money.
func TestAdvance_UnusedMoney_IsFreedForOthers(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	a.o.Limits.Day = 17 * cent // one of these 17 cents is already spent
	starts, starting := a.next("bob", "2", "second")
	a.same("as it starts", a.held(), "[90000]")
	runs, running := a.next("bob", "3", "other")
	lease, err := a.patient(running, bid(16*cent))
	a.must(err)
	a.same("set aside", a.held(), "[160000]")
	if _, err := a.patient(starting, bid(8*cent)); err == nil || err.Error() != "it waits" {
		t.Errorf("the turn that gave it back came to %v", err)
	}
	a.end(runs, cent, lease.ID)
	lease, err = a.patient(starting, bid(8*cent))
	a.must(err)
	a.end(starts, cent, lease.ID)
	a.same("after them", a.held(), "[]")
}

// TestAdvance_TurnStarts_WaitersRetry checks that a lease counts as soon as it is stored, even
// before BeginTurn is called.
func TestAdvance_TurnStarts_WaitersRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdvancing(t, supervisor.Budget{Day: 10 * cent})
		claim := supervisor.LeaseRequest{User: "alice", Conversation: a.turn.Conversation.ID, Turn: a.turn.ID,
			Spec: "a/b", Amount: 9 * cent}
		lease, _, err := a.leases.TakeLease(t.Context(), claim)
		a.must(err)
		e := bid(8 * cent)
		e.OnWait = func(string) { a.o.Advances.BeginTurn(a.turn.ID, lease, claim) }
		_, other := a.next("alice", "2", "other")
		a.paid(other, e)
		a.same("set aside", a.held(), "[80000]")
	})
}

func TestAdvance_ReturnFails_LeaseIsNotReused(t *testing.T) {
	a := newAdvancing(t, supervisor.Budget{Day: 100 * cent})
	a.first("bob", "2")
	turn, r := a.next("bob", "2", "second")
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := a.o.Advances.trim(ended); err == nil {
		t.Fatal("it was given back")
	}
	a.end(turn, cent, a.paid(r, bid(8*cent)))
	a.same("writes", a.leases.writes, 2) // one write returns the advance, one takes another lease
	a.same("after it", a.held(), "[]")
}
