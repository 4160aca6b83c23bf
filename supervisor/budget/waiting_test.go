package budget

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// TestReserve_LowLimit_UsesRemainingMoney checks that a call gets all remaining money, unless that
// is too little for a short answer.
func TestReserve_LowLimit_UsesRemainingMoney(t *testing.T) {
	for name, c := range map[string]struct {
		spent int64
		want  int64 // amount of the lease that the call must get; 0 means that the call is refused
	}{
		"there is enough":            {0, 8 * cent},
		"there is less":              {5 * cent, 5 * cent},
		"there is only the least":    {7 * cent, 3 * cent},
		"there is less than that":    {7*cent + 1, 0},
		"there is nothing any more":  {10 * cent, 0},
		"there is more than nothing": {10*cent - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, supervisor.Budget{Turn: 10 * cent, Day: 100 * cent})
			r.o.Installation = 1000 * cent
			r.spend(r.turn, c.spent, 0)
			e := bid(8 * cent)
			e.MinCost = 3 * cent
			if c.want == 0 {
				if got := r.refused(New(r.o), e); !strings.Contains(got, "even a short answer may cost up to $0.03") {
					t.Errorf("told %q", got)
				}
				return
			}
			lease, err := New(r.o).Reserve(t.Context(), e)
			r.must(err)
			r.same("set aside", lease.Amount, c.want)
		})
	}
}

// TestReserve_RepeatedCall_AsksNobody covers a call that repeats a failed call. It gets money for
// its maximum cost, or is refused at once.
func TestReserve_RepeatedCall_AsksNobody(t *testing.T) {
	r := newRig(t, supervisor.Budget{Turn: 100 * cent, Day: 10 * cent, Extend: 100 * cent})
	r.spend(r.turn, 1*cent, 0)
	e := bid(5 * cent)
	e.MinCost, e.Repeats = cent, true
	r.paid(New(r.o), e)
	r.refused(New(r.o), e)
	r.same("asked", len(r.person.asked), 0)
	e.Repeats = false
	r.paid(New(r.o), e)
}

// waiting starts a call that waits for other calls, and returns its later result.
func (r *rig) waiting(ctx context.Context, o Options, e modelcall.CostEstimate) (result <-chan string) {
	r.Helper()
	waits, got := make(chan string, 1), make(chan string, 1)
	e.OnWait = func(text string) { waits <- text }
	go func() {
		lease, err := New(o).Reserve(ctx, e)
		got <- fmt.Sprint(lease.Amount/cent, err)
	}()
	select {
	case text := <-waits:
		if !strings.Contains(text, "set aside for other answers") {
			r.Errorf("told %q", text)
		}
	case text := <-got:
		r.Fatalf("it does not wait: %s", text)
	}
	select {
	case text := <-got:
		r.Fatalf("it waits no longer: %s", text)
	default:
	}
	return got
}

func TestWaitForMoney_OwnCallEnds_NextCallStarts(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(r *rig, p *Reserver, lease int64)
		want string
	}{
		"one is given back": {func(r *rig, p *Reserver, lease int64) {
			ended, end := context.WithCancel(r.Context())
			end()
			p.ReturnLease(ended, lease)
			p.ReturnLease(ended, 0)
		}, "8 <nil>"},
		"one cost something": {func(r *rig, p *Reserver, lease int64) {
			r.spend(r.turn, 6*cent, lease)
			p.OnSettled(supervisor.Lease{ID: lease, Amount: 10 * cent}, true)
		}, "4 <nil>"},
		"one cost all but too little": {func(r *rig, p *Reserver, lease int64) {
			r.spend(r.turn, 9*cent, lease)
			p.OnSettled(supervisor.Lease{ID: lease, Amount: 10 * cent}, true)
		}, "0 budget: Asking a/b would go beyond your limit for a day, $0.10: $0.09 was spent, and even a short answer may cost up " +
			"to $0.02. The limit begins anew on Saturday, 21 November, at 00:00 CET. An admin can raise the limit (users[].budget.day)."},
		"what one cost cannot be kept": {func(_ *rig, p *Reserver, lease int64) {
			p.OnSettled(supervisor.Lease{ID: lease, Amount: 10 * cent}, false)
		}, "0 budget: Asking a/b would go beyond your limit for a day, $0.10: $0.00 was spent, $0.10 is set aside for answers under way, " +
			"and even a short answer may cost up to $0.02. The limit begins anew on Saturday, 21 November, at 00:00 CET. An " +
			"admin can raise the limit (users[].budget.day)."},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, supervisor.Budget{Day: 10 * cent})
			p := New(r.o)
			lease := r.paid(p, bid(10*cent))
			o, e := r.o, bid(8*cent)
			other := r.begin("alice", "2")
			o.Turn, o.Conversation = other.ID, other.Conversation
			e.MinCost = 2 * cent
			got := r.waiting(t.Context(), o, e)
			c.end(r, p, lease)
			r.same("then", <-got, c.want)
		})
	}
}

func TestWaitForMoney_Stopped_ReturnsCause(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: 10 * cent})
	r.paid(New(r.o), bid(10*cent))
	ctx, cancel := context.WithCancelCause(t.Context())
	got := r.waiting(ctx, r.o, bid(cent))
	cancel(errors.New("stopped"))
	r.same("then", <-got, "0 stopped")
}

// TestWaitForMoney_SharedLimit_IncludesAllCalls checks that a call waits for the calls of all users
// if the limit is shared.
func TestWaitForMoney_SharedLimit_IncludesAllCalls(t *testing.T) {
	r := newRig(t, supervisor.Budget{})
	r.o.Installation = 10 * cent
	p := New(r.o)
	lease := r.paid(p, bid(10*cent))
	o := r.o
	bobs := r.begin("bob", "1")
	o.Turn, o.Conversation = bobs.ID, bobs.Conversation
	got := r.waiting(t.Context(), o, bid(8*cent))
	p.ReturnLease(t.Context(), lease)
	r.same("then", <-got, "8 <nil>")
}

// TestWaitForMoney_EnoughSoon_AsksNobody checks that the user is not asked if the end of their own
// running calls can free enough money.
func TestWaitForMoney_EnoughSoon_AsksNobody(t *testing.T) {
	r := newRig(t, supervisor.Budget{Day: 10 * cent, Extend: 100 * cent})
	p := New(r.o)
	lease := r.paid(p, bid(10*cent))
	got := r.waiting(t.Context(), r.o, bid(8*cent))
	r.same("asked", len(r.person.asked), 0)
	r.spend(r.turn, cent, lease)
	p.OnSettled(supervisor.Lease{ID: lease, Amount: 10 * cent}, true)
	r.same("then", <-got, "8 <nil>")
	r.same("asked then", len(r.person.asked), 0)
}
