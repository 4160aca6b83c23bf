package sqlite_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
)

// entry is a lease, a cost or an extension of a turn, with its time.
type entry struct {
	turn   supervisor.Turn
	amount int64
	at     time.Time
}

// accounts is a model of Leases that sums in plain loops.
type accounts struct {
	*story
	turns      []supervisor.Turn
	leases     map[int64]entry
	costs      []entry
	extensions []entry
}

// maxLimits lists limits that the random steps can reach.
var maxLimits = []supervisor.SpendingLimit{{Scope: supervisor.ScopeInstallation, Max: 330},
	{Scope: supervisor.ScopeMonth, Max: 220},
	{Scope: supervisor.ScopeDay, Max: 120}, {Scope: supervisor.ScopeTurn, Max: 170}}

// limits returns maxLimits for the current time.
func (a *accounts) limits() (list []supervisor.SpendingLimit) {
	y, m, d := a.now.Date()
	for _, l := range maxLimits {
		l.Since = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		if l.Scope != supervisor.ScopeDay {
			l.Since = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)
		}
		list = append(list, l)
	}
	return list
}

// counts reports whether an entry counts for a limit of a turn.
func counts(e entry, l supervisor.SpendingLimit, turn supervisor.Turn) bool {
	switch l.Scope {
	case supervisor.ScopeTurn:
		return e.turn.ID == turn.ID
	case supervisor.ScopeInstallation:
		return !e.at.Before(l.Since)
	}
	return e.turn.Conversation.User == turn.Conversation.User && !e.at.Before(l.Since)
}

// measure returns the expected sums for a limit.
func (a *accounts) measure(l supervisor.SpendingLimit, turn supervisor.Turn) supervisor.BudgetShortage {
	s := supervisor.BudgetShortage{SpendingLimit: l}
	for _, e := range a.costs {
		if counts(e, l, turn) {
			s.Spent += e.amount
		}
	}
	for _, e := range a.leases {
		if counts(e, l, turn) {
			s.Held += e.amount
		}
	}
	for _, e := range a.extensions {
		if (l.Scope == supervisor.ScopeDay || l.Scope == supervisor.ScopeTurn) && counts(e, l, turn) {
			s.Extended += e.amount
		}
	}
	return s
}

func (a *accounts) drawTurn(t *rapid.T) supervisor.Turn {
	return rapid.SampledFrom(a.turns).Draw(t, "turn")
}

func (a *accounts) take(t *rapid.T) {
	turn, amount := a.drawTurn(t), rapid.Int64Range(15, 60).Draw(t, "amount")
	c := claim(turn, amount, a.limits()...)
	c.Least = rapid.Int64Range(0, amount).Draw(t, "least")
	least := amount // the least acceptable amount; equal to amount without a lower bound
	if c.Least > 0 {
		least = c.Least
	}
	var want []supervisor.BudgetShortage
	for _, l := range c.Limits {
		s := a.measure(l, turn)
		left := s.Max + s.Extended - s.Spent - s.Held
		if left < least {
			s.Wanted = least
			want = append(want, s)
		}
		amount = min(amount, left)
	}
	lease, short := take(a.story, c)
	if d := cmp.Diff(want, short); d != "" || (lease.ID != 0) != (len(want) == 0) {
		t.Fatalf("lease %+v (-want +got)\n%s", lease, d)
	}
	if lease.ID != 0 && lease.Amount != amount {
		t.Fatalf("lease %+v, want one of %d", lease, amount)
	}
	if lease.ID != 0 {
		a.leases[lease.ID] = entry{turn, amount, a.now}
	}
}

// drawLease draws a random open lease.
func (a *accounts) drawLease(t *rapid.T) (int64, entry) {
	if len(a.leases) == 0 {
		t.Skip("no lease")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(a.leases))).Draw(t, "lease")
	return id, a.leases[id]
}

func (a *accounts) settle(t *rapid.T) {
	id, e := a.drawLease(t)
	cost := rapid.Int64Range(0, e.amount).Draw(t, "cost")
	if rapid.Bool().Draw(t, "said") {
		st := step(e.turn, "hello")
		st.Spec, st.Cost, st.Leases = "a/b", price(cost), []int64{id}
		_, err := a.db.Turns().CommitStep(a.Context(), st)
		a.must(err)
	} else {
		putCost(a.story, e.turn, cost, id)
	}
	a.costs = append(a.costs, entry{e.turn, cost, e.at})
	delete(a.leases, id)
}

func (a *accounts) giveBack(t *rapid.T) {
	id, _ := a.drawLease(t)
	a.must(a.db.Leases().ReturnLease(a.Context(), id))
	delete(a.leases, id)
}

func (a *accounts) crash(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "seldom") != 3 || len(a.leases) == 0 {
		t.Skip("not now")
	}
	left, err := a.db.Leases().RecoverAfterCrash(a.Context())
	a.must(err)
	if left != int64(len(a.leases)) {
		t.Fatalf("%d were left, want %d", left, len(a.leases))
	}
	for _, e := range a.leases {
		a.costs = append(a.costs, e)
	}
	clear(a.leases)
}

func (a *accounts) extend(t *rapid.T) {
	turn, amount := a.drawTurn(t), rapid.Int64Range(1, 60).Draw(t, "amount")
	done, err := a.db.Leases().ExtendLimits(a.Context(), supervisor.LimitExtension{User: turn.Conversation.User,
		Turn:   turn.ID,
		Amount: amount, Max: 90, Since: a.limits()[2].Since})
	a.must(err)
	if done {
		a.extensions = append(a.extensions, entry{turn, amount, a.now})
	}
}

func (a *accounts) later(t *rapid.T) {
	a.now = a.now.Add(time.Duration(rapid.SampledFrom([]int{1, 11}).Draw(t, "hours")) * time.Hour)
}

// check fails if a limit is exceeded.
func (a *accounts) check(t *rapid.T) {
	for _, turn := range a.turns {
		for _, l := range a.limits() {
			if s := a.measure(l, turn); s.Spent+s.Held > s.Max+s.Extended {
				t.Fatalf("turn %d: %+v exceeds its limit", turn.ID, s)
			}
		}
	}
}

// If no call costs more than its lease, no limit is ever exceeded, in any order of steps.
func TestLeases_RandomOrder_StayWithinLimits(t *testing.T) {
	s := newStory(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		s.now = s.now.AddDate(0, 2, -s.now.Day()+26) // the clock moves to the end of another month
		a := &accounts{story: s, leases: map[int64]entry{}}
		for i := range 4 {
			n++
			a.turns = append(a.turns, turnOf(s, fmt.Sprint("user", i/2), fmt.Sprint(n)))
		}
		t.Repeat(map[string]func(*rapid.T){"take": a.take, "take 2": a.take, "take 3": a.take, "settle": a.settle, "return": a.giveBack,
			"crash": a.crash, "extend": a.extend, "later": a.later, "": a.check})
		_, err := s.db.Leases().RecoverAfterCrash(s.Context())
		s.must(err)
	})
}
