package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
)

// leaseChecks reserves the due checks, as the loop does, and returns their users.
func (h *harness) leaseChecks(t testing.TB) (users []string, leased []supervisor.ClaimedFire) {
	t.Helper()
	list, err := h.db.Jobs().ListFiresToBegin(t.Context(), h.now, nil, true, maxDue)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range h.turns.order(list) {
		ok, err := h.db.Jobs().ReserveFire(t.Context(), f, h.now, h.now.Add(checkLease))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			h.turns.noteBegun(f.Job.User)
			users, leased = append(users, f.Job.User), append(leased, f)
		}
	}
	return users, leased
}

// A job has one running check at a time, even if one of its fires waits and another is retried.
func TestCheck_SameJobTwice_RunsOneByOne(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "x"})
	h.now = h.now.Add(10 * time.Minute)
	h.fireDue(t)
	_, first := h.leaseChecks(t)
	if err := h.Trigger(t.Context(), "alice", "Build", h.now.Add(time.Second), "{}"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.db.Jobs().EndCheck(t.Context(), first[0], supervisor.CheckFireResult{Retry: true}); err != nil {
		t.Fatal(err)
	}
	h.wantStates(t, "claimed claimed")
	again, called := first[0], first[0]
	again.Tries, called.Due = 1, h.now.Add(time.Second)
	h.now = h.now.Add(2 * time.Minute)
	for _, c := range []struct {
		fire supervisor.ClaimedFire
		want bool
	}{{called, true}, {again, false}} {
		if ok, err := h.db.Jobs().ReserveFire(t.Context(), c.fire, h.now, h.now.Add(checkLease)); ok != c.want ||
			err != nil {
			t.Errorf("the fire of %v is leased: %t, %v", c.fire.Due, ok, err)
		}
	}
	if users, _ := h.leaseChecks(t); len(users) > 0 {
		t.Errorf("beside it checks begin for %q", users)
	}
}

// A call of a hook during a check waits until the check ends. Only one of several waiting calls is
// stored.
func TestTrigger_DuringCheck_WaitsForItsEnd(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "x"})
	h.now = h.now.Add(10 * time.Minute)
	h.fireDue(t)
	_, first := h.leaseChecks(t)
	for i := range 3 {
		if err := h.Trigger(t.Context(), "alice", "Build", h.now.Add(time.Duration(i+1)*time.Second), "{}"); err != nil {
			t.Fatal(err)
		}
	}
	h.wantStates(t, "claimed claimed")
	if _, _, err := h.db.Jobs().EndCheck(t.Context(), first[0],
		supervisor.CheckFireResult{State: supervisor.FireSilent}); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, triggerGap-time.Second)
	h.wantStates(t, "silent claimed")
	h.passTime(t, time.Second)
	h.wantStates(t, "silent silent")
}

// Checks of other users run between the checks of one user, no matter how many checks of that user
// wait. Each user has one running check at a time.
func TestChecks_OfOneUser_DelayNoOtherUser(t *testing.T) {
	h := newHarness(t)
	for range maxDue + 50 {
		h.putCheck(t, supervisor.CheckCondition{Command: "x"})
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
	h.fireDue(t)
	users, leased := h.leaseChecks(t)
	if want := []string{"alice", "bob", "carol"}; !slices.Equal(users, want) {
		t.Fatalf("the first checks are for %q, want %q", users, want)
	}
	for i, want := range [][]string{{"alice"}, {"bob"}, {"carol"}} {
		if _, _, err := h.db.Jobs().EndCheck(t.Context(), leased[i],
			supervisor.CheckFireResult{State: supervisor.FireSilent}); err != nil {
			t.Fatal(err)
		}
		if next, _ := h.leaseChecks(t); !slices.Equal(next, want) {
			t.Errorf("the next checks are for %q, want %q", next, want)
		}
	}
}

// The next check belongs to the user whose last check began longest ago.
func TestChecks_UserWithOldestCheck_ComesFirst(t *testing.T) {
	turns := checkTurns{}
	fires := func(users ...string) (list []supervisor.ClaimedFire) {
		for _, user := range users {
			list = append(list, supervisor.ClaimedFire{Job: supervisor.Job{User: user}})
		}
		return list
	}
	for i, want := range []string{"alice", "bob", "carol", "alice", "bob"} {
		got := turns.order(fires("alice", "bob", "carol"))[0].Job.User
		if turns.noteBegun(got); got != want {
			t.Errorf("turn %d is %s's, want %s's", i, got, want)
		}
	}
}
