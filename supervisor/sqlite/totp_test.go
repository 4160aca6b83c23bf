package sqlite_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
)

func TestResetFactor_LockedFactor_IsRemoved(t *testing.T) {
	s := batchStory{newStory(t)}
	factors := s.db.UserAccessStores().Factors
	find := func(want supervisor.SecondFactor) {
		s.Helper()
		f, ok, err := factors.Find(t.Context(), "alice")
		s.must(err)
		s.same("is there", ok, want.User != "")
		s.same("factor", f, want)
	}
	find(supervisor.SecondFactor{})
	s.checkRefused(factors.Put(t.Context(), "alice", nil, nil), supervisor.CodeInvalid, "without a secret")
	s.must(factors.Put(t.Context(), "alice", []byte("old"), []string{digest("x")}))
	try := func(d supervisor.LoginCodeChecker) supervisor.LoginCodeResult {
		s.Helper()
		v, err := factors.TryCode(t.Context(), "alice", d, "at the command line")
		s.must(err)
		return v
	}
	try(func(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		s.same("given", f, supervisor.SecondFactor{User: "alice", Secret: []byte("old"),
			Recovery: []string{digest("x")}})
		s.same("now", now, noon)
		f.Failures, f.Lockouts, f.LockedUntil = 3, 1, noon.Add(time.Hour)
		return f, supervisor.LoginCodeResult{Action: "totp.refused"}
	})
	s.must(factors.Put(t.Context(), "alice", []byte("new"), []string{digest("b"), digest("a")}))
	kept := supervisor.SecondFactor{User: "alice", Secret: []byte("new"), Failures: 3, Lockouts: 1,
		LockedUntil: noon.Add(time.Hour), Recovery: []string{digest("a"), digest("b")}}
	find(kept)
	there, err := factors.Unlock(t.Context(), "alice")
	s.must(err)
	s.same("unlocked", there, true)
	kept.Failures, kept.Lockouts, kept.LockedUntil = 0, 0, time.Time{}
	find(kept)

	verdict := try(func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f.Confirmed, f.LastPeriod, f.Recovery = true, 9, append(f.Recovery[:0], digest("b"))
		return f, supervisor.LoginCodeResult{Right: true, Action: "totp.enrolled", Text: "Well."}
	})
	s.same("verdict", verdict, supervisor.LoginCodeResult{Right: true, Action: "totp.enrolled", Text: "Well."})
	kept.Confirmed, kept.LastPeriod, kept.Recovery = true, 9, []string{digest("b")}
	find(kept)
	s.same("opens no gate", s.query("SELECT count(*) FROM login"), "0")
	s.same("audited", s.query("SELECT action || ' ' || detail FROM audit ORDER BY id"),
		"totp.refused at the command line totp.enrolled at the command line")
	s.checkRefused(factors.Put(t.Context(), "alice", []byte("newer"), nil), supervisor.CodeInvalid, "Reset it before")
	list, err := factors.List(t.Context())
	s.must(err)
	s.same("list", list, []supervisor.SecondFactor{{User: "alice", Confirmed: true}})

	s.receive(codeItem("alice", 1, 10))
	for _, want := range []bool{true, false} {
		there, _, err := factors.Reset(t.Context(), "alice")
		s.must(err)
		s.same("reset", there, want)
	}
	find(supervisor.SecondFactor{})
	s.same("logins and codes", s.query("SELECT (SELECT count(*) FROM login) + (SELECT count(*) FROM recovery)"), "0")
}

func TestResetFactor_HeldInbounds_AreAnswered(t *testing.T) {
	s := batchStory{newStory(t)}
	command := guardedItem("alice", 2, "/status")
	command.Inbound.Kind = supervisor.KindCommand
	private := s.receive(guardedItem("alice", 1, "one"), command).Stored[0].Conversation
	group := s.receive(inChat("-100", challengedIn("42", guardedItem("alice", 3, "three")))).Stored[0].Conversation
	s.receive(guardedItem("bob", 4, "bob's"))
	for _, want := range [][]int64{{private.ID, group.ID}, nil} {
		_, told, err := s.db.UserAccessStores().Factors.Reset(t.Context(), "alice")
		s.must(err)
		s.same("told", told, want)
		s.same("kept", s.query("SELECT user || held || state FROM inbox ORDER BY id"),
			"alice0answered alice0answered alice0answered bob1new")
		const gone = "This message waited for a code, but your second factor was reset. " +
			"So I did not take it. Send it again."
		s.same("said", s.pendingTexts(private), []string{locked, locked, gone, gone})
		s.same("said in the group", s.pendingTexts(group), []string{gone})
	}
	s.same("released by a later code", len(s.receive(codeItem("alice", 5, 1)).Released), 0)
}

func TestTryCode_NoSecondFactor_CountsFailures(t *testing.T) {
	s := newStory(t)
	factors := s.db.UserAccessStores().Factors
	for range 2 {
		_, err := factors.TryCode(t.Context(), "alice", acceptStep(0), "")
		s.must(err)
	}
	f, ok, err := factors.Find(t.Context(), "alice")
	s.must(err)
	s.same("kept", f, supervisor.SecondFactor{User: "alice", Failures: 2, Recovery: []string{}})
	s.same("is there", ok, true)
	list, err := factors.List(t.Context())
	s.must(err)
	s.same("enrolled", len(list), 0)
}

func TestTryCode_Concurrent_OnlyOneIsRight(t *testing.T) {
	s := batchStory{newStory(t)}
	var right atomic.Int64
	var group sync.WaitGroup
	for n := range 100 {
		group.Go(func() {
			v, err := s.db.UserAccessStores().Factors.TryCode(t.Context(), "alice", acceptStep(7), fmt.Sprint(n))
			if err != nil {
				t.Error(err)
			}
			if v.Right {
				right.Add(1)
			}
		})
	}
	group.Wait()
	s.same("right", right.Load(), int64(1))
	s.same("tried", s.query("SELECT count(*) FROM audit"), "100")
}
