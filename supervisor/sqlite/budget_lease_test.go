package sqlite_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// claim returns a turn's request for a lease. The lease is for a call of the model "a/b".
func claim(turn supervisor.Turn, amount int64, limits ...supervisor.SpendingLimit) supervisor.LeaseRequest {
	return supervisor.LeaseRequest{User: turn.Conversation.User, Conversation: turn.Conversation.ID, Turn: turn.ID,
		Spec:   "a/b",
		Amount: amount, Limits: limits}
}

// mustTake takes a lease that fits into the limits.
func mustTake(s *story, c supervisor.LeaseRequest) int64 {
	s.Helper()
	lease, short := take(s, c)
	if lease.ID == 0 || len(short) > 0 {
		s.Fatalf("got lease %+v, short of %+v", lease, short)
	}
	return lease.ID
}

func take(s *story, c supervisor.LeaseRequest) (supervisor.Lease, []supervisor.BudgetShortage) {
	s.Helper()
	lease, short, err := s.db.Leases().TakeLease(s.Context(), c)
	s.must(err)
	return lease, short
}

// putCost stores a call of a turn with a cost, and ends its lease.
func putCost(s *story, turn supervisor.Turn, cost, lease int64) {
	s.Helper()
	putCall(s, sqlite.ModelCall{User: turn.Conversation.User, Conversation: turn.Conversation.ID, Turn: turn.ID, Spec: "a/b",
		Cost: price(cost), Lease: lease})
}

// turnOf starts a turn of a user in a new chat.
func turnOf(s *story, user, chat string) supervisor.Turn {
	s.Helper()
	turn, _, err := s.db.Turns().Start(s.Context(), s.put(s.chat(user, chat), supervisor.KindText, "hi").ID, nil)
	s.must(err)
	return turn
}

func TestTakeLease_OneMillionthShort_Fails(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	day := supervisor.SpendingLimit{Scope: supervisor.ScopeDay, Max: 100, Since: noon}
	putCost(s, turn, 30, 0)
	mustTake(s, claim(turn, 50, day))
	lease, short := take(s, claim(turn, 21, day))
	s.same("lease", lease, supervisor.Lease{})
	s.same("short", short, []supervisor.BudgetShortage{{SpendingLimit: day, Spent: 30, Held: 50, Wanted: 21}})
	s.same("lack", short[0].MissingAmount(), int64(1))
	s.same("leases that were written", s.query("SELECT count(*) FROM lease"), "1")
	mustTake(s, claim(turn, 20, day))
}

func TestTakeLease_Scopes_CountSeparately(t *testing.T) {
	s := newStory(t)
	s.now = noon.Add(-time.Hour)
	turn, other, bobs := turnOf(s, "alice", "1"), turnOf(s, "alice", "2"), turnOf(s, "bob", "3")
	putCost(s, turn, 1, 0)
	mustTake(s, claim(other, 2))
	s.now = noon
	putCost(s, turn, 10, 0)
	putCost(s, other, 100, 0)
	putCost(s, bobs, 1000, 0)
	mustTake(s, claim(turn, 20))
	mustTake(s, claim(other, 200))
	mustTake(s, claim(bobs, 2000))
	done, err := s.db.Leases().ExtendLimits(t.Context(), supervisor.LimitExtension{User: "alice", Turn: other.ID,
		Amount: 5, Max: 5})
	s.must(err)
	s.same("lengthened", done, true)
	earlier := noon.Add(-time.Hour)
	limit := func(scope supervisor.SpendingScope, since time.Time) supervisor.SpendingLimit {
		return supervisor.SpendingLimit{Scope: scope, Max: 1, Since: since}
	}
	_, short := take(s, claim(turn, 7, limit(supervisor.ScopeInstallation, noon), limit(supervisor.ScopeMonth, earlier),
		limit(supervisor.ScopeDay, noon), limit(supervisor.ScopeTurn, noon)))
	s.same("short", short, []supervisor.BudgetShortage{
		{SpendingLimit: limit(supervisor.ScopeInstallation, noon), Spent: 1110, Held: 2220, Wanted: 7},
		{SpendingLimit: limit(supervisor.ScopeMonth, earlier), Spent: 111, Held: 222, Wanted: 7},
		{SpendingLimit: limit(supervisor.ScopeDay, noon), Spent: 110, Held: 220, Extended: 5, Wanted: 7},
		{SpendingLimit: limit(supervisor.ScopeTurn, noon), Spent: 11, Held: 20, Wanted: 7},
	})
	_, short = take(s, claim(other, 7, limit(supervisor.ScopeTurn, noon)))
	s.same("the other's", short, []supervisor.BudgetShortage{{SpendingLimit: limit(supervisor.ScopeTurn, noon),
		Spent: 100, Held: 202,
		Extended: 5, Wanted: 7}})
}

func TestLease_UsageStored_IsEnded(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	first, second, third := mustTake(s, claim(turn, 1)), mustTake(s, claim(turn, 2)), mustTake(s, claim(turn, 3))
	bobs := mustTake(s, claim(turnOf(s, "bob", "3"), 4))
	s.now = noon.Add(time.Hour)
	st := step(turn, "hello")
	st.Cost, st.Leases = price(3), []int64{first, second, bobs}
	_, err := s.db.Turns().CommitStep(t.Context(), st)
	s.must(err)
	s.same("what is left", s.query("SELECT id FROM lease ORDER BY id"), s.query("SELECT ? || ' ' || ?", third, bobs))
	s.same("counts as of the lease", s.query("SELECT created_at = ? FROM usage", noon.UnixMilli()), "1")
	putCost(s, turn, 1, third)
	putCost(s, turn, 1, third) // the third lease had ended earlier
	s.same("as of the lease, then as of now", s.query("SELECT created_at = ? FROM usage", noon.UnixMilli()), "1 1 0")
	s.must(s.db.Leases().ReturnLease(t.Context(), bobs))
	s.must(s.db.Leases().ReturnLease(t.Context(), bobs))
	s.same("leases", s.query("SELECT count(*) FROM lease"), "0")
}

func TestCommitStep_InvalidStep_KeepsLease(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	st := step(turn, "")
	st.Message.Role, st.Leases = protocol.RoleUser, []int64{mustTake(s, claim(turn, 1))}
	_, err := s.db.Turns().CommitStep(t.Context(), st)
	s.checkRefused(err, supervisor.CodeInvalid, "role")
	s.same("leases", s.query("SELECT count(*) FROM lease"), "1")
}

func TestLease_OpenAtCrash_CountsInFull(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	mustTake(s, claim(turn, 70))
	mustTake(s, claim(turn, 7))
	s.now = noon.Add(24 * time.Hour)
	left, err := s.db.Leases().RecoverAfterCrash(t.Context())
	s.must(err)
	s.same("left", left, int64(2))
	s.same("usage", s.query(`SELECT format('%s %d %s %s %d %d %d', user, turn = ?, spec, class, cost, created_at = ?, estimated) FROM usage`,
		turn.ID, noon.UnixMilli()), "alice 1 a/b unknown 70 1 1 alice 1 a/b unknown 7 1 1")
	left, err = s.db.Leases().RecoverAfterCrash(t.Context())
	s.must(err)
	s.same("left then", left, int64(0))
	s.same("the sum", sum(s, sqlite.UsageQuery{})[0].Cost, int64(77))
}

// A recording is transcribed before a turn starts. So the lease for the transcription has no turn.
func TestTakeLease_WithoutTurn_Succeeds(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	turn.ID = 0
	day := supervisor.SpendingLimit{Scope: supervisor.ScopeDay, Max: 100}
	lease := mustTake(s, claim(turn, 70, day, supervisor.SpendingLimit{Scope: supervisor.ScopeTurn, Max: 70}))
	_, short := take(s, claim(turn, 40, day))
	s.same("short of", len(short), 1)
	putCost(s, turn, 7, lease)
	mustTake(s, claim(turn, 90, day))
	_, err := s.db.Leases().RecoverAfterCrash(t.Context())
	s.must(err)
	s.same("usage", s.query(`SELECT format('%s %d %d', user, turn IS NULL, cost) FROM usage`), "alice 1 7 alice 1 90")
	turn.Conversation.ID = 99
	if _, _, err := s.db.Leases().TakeLease(t.Context(), claim(turn,
		1)); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("of no conversation: %v", err)
	}
}

func TestTakeLease_InvalidRequest_Fails(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	foreign := claim(turn, 1)
	foreign.User = "bob"
	for name, c := range map[string]supervisor.LeaseRequest{"of nothing": claim(turn, 0), "of less": claim(turn, -5),
		"of another's turn": foreign, "with a limit of no kind": claim(turn, 1, supervisor.SpendingLimit{Scope: "week",
			Max: 5})} {
		_, _, err := s.db.Leases().TakeLease(t.Context(), c)
		if code := supervisor.ErrorCodeOf(err); code != supervisor.CodeInvalid && code != supervisor.CodeNotFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s.same("leases", s.query("SELECT count(*) FROM lease"), "0")
}

func TestExtendLimits_AboveMax_ChangesNothing(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	leases := s.db.Leases()
	extend := func(amount int64) bool {
		t.Helper()
		done, err := leases.ExtendLimits(t.Context(), supervisor.LimitExtension{User: "alice", Turn: turn.ID,
			Amount: amount, Max: 10,
			Since: s.now})
		s.must(err)
		return done
	}
	s.same("first", extend(6), true)
	s.same("more than is left", extend(5), false)
	s.same("what is left", extend(4), true)
	s.same("nothing is left", extend(1), false)
	sum, err := leases.SumLimitExtensions(t.Context(), "alice", s.now)
	s.must(err)
	s.same("sum", sum, int64(10))
	s.now = noon.Add(24 * time.Hour)
	s.same("the next day", extend(10), true)
	_, err = leases.ExtendLimits(t.Context(), supervisor.LimitExtension{User: "alice", Turn: 99, Amount: 1, Max: 100,
		Since: s.now})
	s.checkRefused(err, supervisor.CodeNotFound, "no turn 99")
	_, err = leases.ExtendLimits(t.Context(), supervisor.LimitExtension{User: "alice", Turn: turn.ID, Max: 100,
		Since: s.now})
	s.checkRefused(err, supervisor.CodeInvalid, "more than 0")
}

// Of concurrent requests only as many get a lease as the limit allows.
func TestTakeLease_Concurrent_StaysWithinLimit(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	limit := supervisor.SpendingLimit{Scope: supervisor.ScopeDay, Max: 1000, Since: noon}
	var got atomic.Int64
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			lease, _, err := s.db.Leases().TakeLease(t.Context(), claim(turn, 100, limit))
			if err != nil {
				t.Error(err)
			}
			if lease.ID != 0 {
				got.Add(1)
			}
		})
	}
	group.Wait()
	s.same("leases", got.Load(), int64(10))
}

func TestTakeLease_AmountSpent_EqualsUsage(t *testing.T) {
	s := newStory(t)
	makeCalls(s)
	makeCalls(s)
	s.same("quarters that differ", s.query(`SELECT user, quarter FROM (SELECT user, created_at / 900000 AS quarter, sum(cost) AS
		cost FROM usage WHERE cost > 0 GROUP BY 1, 2 UNION ALL SELECT '', created_at / 900000, sum(cost) FROM usage WHERE
		cost > 0 GROUP BY 2) AS u FULL JOIN spent AS s USING (user, quarter) WHERE u.cost IS NOT s.cost`), "")
	s.same("quarters", s.query("SELECT count(*) > 20 FROM spent"), "1")
}
