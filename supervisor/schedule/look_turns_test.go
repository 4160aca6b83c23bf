package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
)

// leases has the looks that are to begin be leased as the loop does, and gives of whose.
func (h *harness) leases(t testing.TB) (users []string, leased []supervisor.ClaimedFire) {
	t.Helper()
	list, err := h.db.Jobs().ListBegin(t.Context(), h.now, nil, true, maxDue)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range h.turns.order(list) {
		ok, err := h.db.Jobs().Lease(t.Context(), f, h.now, h.now.Add(lookLease))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			h.turns.took(f.Job.User)
			users, leased = append(users, f.Job.User), append(leased, f)
		}
	}
	return users, leased
}

// A job is looked at once at a time, also where one of its fires waited and another is tried again.
func TestAJobIsNeverLookedAtTwiceAtOnce(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.Look{Command: "x"})
	h.now = h.now.Add(10 * time.Minute)
	h.fires(t)
	_, first := h.leases(t)
	if err := h.Trigger(t.Context(), "alice", "Build", h.now.Add(time.Second), "{}"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.db.Jobs().EndLook(t.Context(), first[0], supervisor.Looked{Again: true}); err != nil {
		t.Fatal(err)
	}
	h.is(t, "claimed claimed")
	again, called := first[0], first[0]
	again.Tries, called.Due = 1, h.now.Add(time.Second)
	h.now = h.now.Add(2 * time.Minute)
	for _, c := range []struct {
		fire supervisor.ClaimedFire
		want bool
	}{{called, true}, {again, false}} {
		if ok, err := h.db.Jobs().Lease(t.Context(), c.fire, h.now, h.now.Add(lookLease)); ok != c.want || err != nil {
			t.Errorf("the fire of %v is leased: %t, %v", c.fire.Due, ok, err)
		}
	}
	if users, _ := h.leases(t); len(users) > 0 {
		t.Errorf("beside it looks begin for %q", users)
	}
}

// A call of a hook that comes while a check is looked at waits for its end; of several, one.
func TestACallThatComesDuringALookWaits(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.Look{Command: "x"})
	h.now = h.now.Add(10 * time.Minute)
	h.fires(t)
	_, first := h.leases(t)
	for i := range 3 {
		if err := h.Trigger(t.Context(), "alice", "Build", h.now.Add(time.Duration(i+1)*time.Second), "{}"); err != nil {
			t.Fatal(err)
		}
	}
	h.is(t, "claimed claimed")
	if _, _, err := h.db.Jobs().EndLook(t.Context(), first[0], supervisor.Looked{State: supervisor.FireSilent}); err != nil {
		t.Fatal(err)
	}
	h.passes(t, betweenTriggers-time.Second)
	h.is(t, "silent claimed")
	h.passes(t, time.Second)
	h.is(t, "silent silent")
}

// However many looks of one wait, those of others come in between, and each has one at a time.
func TestNobodyWaitsForAllLooksOfAnother(t *testing.T) {
	h := newHarness(t)
	for range maxDue + 50 {
		h.putCheck(t, supervisor.Look{Command: "x"})
	}
	for _, name := range []string{"bob", "carol"} {
		for range 2 {
			h.inbound++
			j := h.job(t, 1)
			j.ID, j.User, j.Conversation, j.MadeBy = 0, name, chatOf(name), fmt.Sprint(h.inbound)
			if _, err := h.put(t.Context(), j, "every 10 min"); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.now = h.now.Add(10 * time.Minute)
	h.fires(t)
	users, leased := h.leases(t)
	if want := []string{"alice", "bob", "carol"}; !slices.Equal(users, want) {
		t.Fatalf("at once looks are for %q, want %q", users, want)
	}
	for i, want := range [][]string{{"alice"}, {"bob"}, {"carol"}} {
		if _, _, err := h.db.Jobs().EndLook(t.Context(), leased[i], supervisor.Looked{State: supervisor.FireSilent}); err != nil {
			t.Fatal(err)
		}
		if next, _ := h.leases(t); !slices.Equal(next, want) {
			t.Errorf("next are looks for %q, want %q", next, want)
		}
	}
}

// Whose look was begun the longest ago is next.
func TestLooksTakeTurns(t *testing.T) {
	turns := lookTurns{}
	fires := func(users ...string) (list []supervisor.ClaimedFire) {
		for _, user := range users {
			list = append(list, supervisor.ClaimedFire{Job: supervisor.Job{User: user}})
		}
		return list
	}
	for i, want := range []string{"alice", "bob", "carol", "alice", "bob"} {
		got := turns.order(fires("alice", "bob", "carol"))[0].Job.User
		if turns.took(got); got != want {
			t.Errorf("turn %d is %s's, want %s's", i, got, want)
		}
	}
}
