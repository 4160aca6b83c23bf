package sqlite_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// digest is one of a code that is never seen.
func digest(name string) string { return strings.Repeat("0", 64-len(name)) + name }

func TestPeopleComeAndGo(t *testing.T) {
	s := newStory(t)
	access := s.db.Access()
	bob := supervisor.User{Name: "bob", Role: supervisor.RoleUser, Account: "bob", Timezone: "Europe/Madrid"}
	ann := supervisor.User{Name: "ann", Role: supervisor.RoleAdmin}
	s.must(access.People.Add(t.Context(), bob))
	s.must(access.People.Add(t.Context(), ann))
	s.refused(access.People.Add(t.Context(), bob), supervisor.CodeInvalid, "called bob already")
	list, err := access.People.List(t.Context())
	s.must(err)
	s.same("people", list, []supervisor.User{ann, bob})

	s.must(access.Bindings.Bind(t.Context(), sqlite.Binding{Channel: "telegram", Account: "7", User: "bob"}))
	s.must(access.Invites.Put(t.Context(), sqlite.Invite{Digest: digest("a"), User: "bob", ExpiresAt: noon.Add(time.Hour)}))
	postbag{s}.receive(code("bob", 1, 1))
	there, err := access.People.Remove(t.Context(), "bob")
	s.must(err)
	s.same("removed", there, true)
	for _, table := range []string{"binding", "invite", "login"} {
		s.same("what lets them in", s.look("SELECT count(*) FROM "+table), "0")
	}
	s.same("their factor", s.look("SELECT count(*) FROM totp"), "1")
	there, err = access.People.Remove(t.Context(), "bob")
	s.must(err)
	s.same("removed again", there, false)
}

func TestSuspensionEndsLogins(t *testing.T) {
	s := postbag{newStory(t)}
	people := s.db.Access().People
	suspended := func(want ...string) {
		s.Helper()
		list, err := people.Suspended(t.Context())
		s.must(err)
		s.same("suspended", list, want)
	}
	s.receive(code("alice", 1, 1), code("bob", 2, 1))
	for range 2 {
		s.must(people.Suspend(t.Context(), "alice", true))
		suspended("alice")
	}
	logins, err := s.db.Access().Logins.List(t.Context())
	s.must(err)
	s.same("logins", logins, []supervisor.Login{{User: "bob", Channel: supervisor.ChannelTelegram, Chat: "42", OpenedAt: noon,
		UsedAt: noon}})
	for range 2 {
		s.must(people.Suspend(t.Context(), "alice", false))
		suspended()
	}
}

// Whoever has the code of somebody who is shut out is not let in by it, now or later.
func TestSuspensionTakesInvitesBack(t *testing.T) {
	s := newStory(t)
	a := s.db.Access()
	put := func(name string) {
		t.Helper()
		s.must(a.Invites.Put(t.Context(), sqlite.Invite{Digest: digest(name), User: "alice", ExpiresAt: noon.Add(time.Hour)}))
	}
	refused := func(name string) {
		t.Helper()
		_, err := a.Invites.Redeem(t.Context(), digest(name), supervisor.ChannelTelegram, "7", "")
		if supervisor.ErrorCode(err) != supervisor.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	put("a")
	put("b")
	s.must(a.People.Suspend(t.Context(), "alice", true, sqlite.AuditRow{User: "alice", Action: "user.disabled"}))
	put("c") // at the same time, as it were
	refused("a")
	refused("c")
	s.must(a.People.Suspend(t.Context(), "alice", false))
	refused("b")
	rows, err := s.db.Audit().List(t.Context(), sqlite.AuditFilter{})
	s.must(err)
	var revoked []string
	for _, r := range rows {
		if r.Action == "invite.revoked" {
			revoked = append(revoked, r.User+": "+r.Detail)
		}
	}
	if want := []string{"alice: all 2 that nobody had used, for they may not speak"}; !slices.Equal(revoked, want) {
		t.Errorf("audited %q, want %q", revoked, want)
	}
}

func TestAnAccountIsOnePersons(t *testing.T) {
	s := postbag{newStory(t)}
	bindings := s.db.Access().Bindings
	one := sqlite.Binding{Channel: "telegram", Account: "7", User: "alice"}
	for range 2 {
		s.must(bindings.Bind(t.Context(), one))
	}
	other := one
	other.User = "bob"
	s.refused(bindings.Bind(t.Context(), other), supervisor.CodeForbidden, "another person's")
	list, err := bindings.List(t.Context())
	s.must(err)
	s.same("bindings", list, []sqlite.Binding{one})
	s.receive(code("alice", 1, 1))
	for _, want := range []string{"alice", ""} {
		whose, err := bindings.Unbind(t.Context(), "telegram", "7")
		s.must(err)
		s.same("unbound", whose, want)
	}
	s.same("logins", s.look("SELECT count(*) FROM login"), "0")
	s.must(bindings.Bind(t.Context(), other))
}

func TestGroupsAreAllowedAndNot(t *testing.T) {
	s := newStory(t)
	groups := s.db.Access().Groups
	g := sqlite.Group{Channel: "telegram", Chat: "-100"}
	for range 2 {
		s.must(groups.Allow(t.Context(), g))
	}
	list, err := groups.List(t.Context())
	s.must(err)
	s.same("groups", list, []sqlite.Group{g})
	for _, want := range []bool{true, false} {
		was, err := groups.Disallow(t.Context(), g)
		s.must(err)
		s.same("disallowed", was, want)
	}
}

func TestAnInviteIsGoodOnceAndInTime(t *testing.T) {
	s := newStory(t)
	invites := s.db.Access().Invites
	put := func(name, user string, expires time.Duration) sqlite.Invite {
		i := sqlite.Invite{Digest: digest(name), User: user, CreatedAt: noon, ExpiresAt: noon.Add(expires), Enrol: name == "a"}
		s.must(invites.Put(t.Context(), i))
		return i
	}
	a, b, late := put("a", "alice", time.Hour), put("b", "bob", time.Hour), put("c", "alice", 0)
	open := func(want ...sqlite.Invite) {
		s.Helper()
		list, err := invites.List(t.Context())
		s.must(err)
		s.same("open", list, want)
	}
	open(a, b)
	got, err := invites.Redeem(t.Context(), a.Digest, "telegram", "7", "")
	s.must(err)
	s.same("redeemed", got, a)
	s.same("audited", s.look("SELECT user || ' ' || action || ' ' || detail FROM audit"),
		"alice invite.redeemed by account 7 of telegram")
	for _, bad := range []string{a.Digest, late.Digest, digest("d")} {
		_, err := invites.Redeem(t.Context(), bad, "telegram", "8", "")
		s.refused(err, supervisor.CodeNotFound, "is not good, or not any more")
	}
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "7", "")
	s.refused(err, supervisor.CodeForbidden, "another person's")
	open(b)
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "9", "ann")
	s.refused(err, supervisor.CodeForbidden, "another person's")
	open(b)
	whose, err := s.db.Access().Bindings.Find(t.Context(), "telegram", "9")
	s.must(err)
	s.same("whose the refused account is", whose, "")
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "8", "bob")
	s.must(err)
	whose, err = s.db.Access().Bindings.Find(t.Context(), "telegram", "8")
	s.must(err)
	s.same("whose the bound account is", whose, "bob")
	s.same("bound", s.look("SELECT account || user FROM binding ORDER BY account"), "7alice 8bob")
	again := put("e", "alice", time.Hour)
	_, err = invites.Redeem(t.Context(), again.Digest, "telegram", "7", "alice")
	s.must(err) // who has the account already may enrol with it
	put("f", "alice", time.Hour)
	n, err := invites.Revoke(t.Context(), "alice")
	s.must(err)
	s.same("revoked, with what nobody used in time", n, int64(2))
	open()
}

func TestAFactorIsEnrolledConfirmedLockedAndReset(t *testing.T) {
	s := postbag{newStory(t)}
	factors := s.db.Access().Factors
	find := func(want supervisor.Factor) {
		s.Helper()
		f, ok, err := factors.Find(t.Context(), "alice")
		s.must(err)
		s.same("is there", ok, want.User != "")
		s.same("factor", f, want)
	}
	find(supervisor.Factor{})
	s.refused(factors.Put(t.Context(), "alice", nil, nil), supervisor.CodeInvalid, "without a secret")
	s.must(factors.Put(t.Context(), "alice", []byte("old"), []string{digest("x")}))
	try := func(d supervisor.Decide) supervisor.Verdict {
		s.Helper()
		v, err := factors.Attempt(t.Context(), "alice", d, "at the command line")
		s.must(err)
		return v
	}
	try(func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		s.same("given", f, supervisor.Factor{User: "alice", Secret: []byte("old"), Recovery: []string{digest("x")}})
		s.same("now", now, noon)
		f.Failures, f.Lockouts, f.LockedUntil = 3, 1, noon.Add(time.Hour)
		return f, supervisor.Verdict{Action: "totp.refused"}
	})
	s.must(factors.Put(t.Context(), "alice", []byte("new"), []string{digest("b"), digest("a")}))
	kept := supervisor.Factor{User: "alice", Secret: []byte("new"), Failures: 3, Lockouts: 1,
		LockedUntil: noon.Add(time.Hour), Recovery: []string{digest("a"), digest("b")}}
	find(kept)
	there, err := factors.Unlock(t.Context(), "alice")
	s.must(err)
	s.same("unlocked", there, true)
	kept.Failures, kept.Lockouts, kept.LockedUntil = 0, 0, time.Time{}
	find(kept)

	verdict := try(func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		f.Confirmed, f.LastStep, f.Recovery = true, 9, append(f.Recovery[:0], digest("b"))
		return f, supervisor.Verdict{Right: true, Action: "totp.enrolled", Text: "Well."}
	})
	s.same("verdict", verdict, supervisor.Verdict{Right: true, Action: "totp.enrolled", Text: "Well."})
	kept.Confirmed, kept.LastStep, kept.Recovery = true, 9, []string{digest("b")}
	find(kept)
	s.same("opens no gate", s.look("SELECT count(*) FROM login"), "0")
	s.same("audited", s.look("SELECT action || ' ' || detail FROM audit ORDER BY id"),
		"totp.refused at the command line totp.enrolled at the command line")
	s.refused(factors.Put(t.Context(), "alice", []byte("newer"), nil), supervisor.CodeInvalid, "Reset it before")
	list, err := factors.List(t.Context())
	s.must(err)
	s.same("list", list, []supervisor.Factor{{User: "alice", Confirmed: true}})

	s.receive(code("alice", 1, 10))
	for _, want := range []bool{true, false} {
		there, _, err := factors.Reset(t.Context(), "alice")
		s.must(err)
		s.same("reset", there, want)
	}
	find(supervisor.Factor{})
	s.same("logins and codes", s.look("SELECT (SELECT count(*) FROM login) + (SELECT count(*) FROM recovery)"), "0")
}

// An invite lets its person make one factor: once that is confirmed, or was reset, it lets them make no other.
func TestTheRightToEnrolEndsWithAFactor(t *testing.T) {
	for name, end := range map[string]func(sqlite.Factors) error{
		"confirmed": func(f sqlite.Factors) error {
			_, err := f.Attempt(t.Context(), "alice", taking(1), "")
			if err == nil {
				_, err = f.Attempt(t.Context(), "alice", func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
					f.Confirmed = false // as it were without it
					return f, supervisor.Verdict{Action: "x"}
				}, "")
			}
			return err
		},
		"reset": func(f sqlite.Factors) error {
			_, _, err := f.Reset(t.Context(), "alice")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			access := s.db.Access()
			for _, user := range []string{"alice", "bob"} {
				i := sqlite.Invite{Digest: digest(user), User: user, ExpiresAt: noon.Add(time.Hour), Enrol: true}
				s.must(access.Invites.Put(t.Context(), i))
				_, err := access.Invites.Redeem(t.Context(), i.Digest, "telegram", user, "")
				s.must(err)
			}
			may := func(user string, want bool) {
				s.Helper()
				got, err := access.Invites.MayEnrol(t.Context(), user)
				s.must(err)
				s.same(user+" may enrol", got, want)
			}
			s.must(access.Factors.Put(t.Context(), "alice", []byte("sealed"), nil))
			_, err := access.Factors.Attempt(t.Context(), "alice", taking(-1), "")
			s.must(err)
			may("alice", true) // a wrong code ends nothing
			s.must(end(access.Factors))
			may("alice", false)
			may("bob", true)
		})
	}
}

func TestAResetAnswersWhatWaitedForACode(t *testing.T) {
	s := postbag{newStory(t)}
	command := guarded("alice", 2, "/status")
	command.Inbound.Kind = supervisor.KindCommand
	private := s.receive(guarded("alice", 1, "one"), command).Kept[0].Conversation
	group := s.receive(in("-100", askedAt("42", guarded("alice", 3, "three")))).Kept[0].Conversation
	s.receive(guarded("bob", 4, "bob's"))
	for _, want := range [][]int64{{private.ID, group.ID}, nil} {
		_, told, err := s.db.Access().Factors.Reset(t.Context(), "alice")
		s.must(err)
		s.same("told", told, want)
		s.same("kept", s.look("SELECT user || held || state FROM inbox ORDER BY id"),
			"alice0answered alice0answered alice0answered bob1new")
		const gone = "This waited for a code, and your second factor was reset: it was not taken. Send it again."
		s.same("said", s.pending(private), []string{locked, locked, gone, gone})
		s.same("said in the group", s.pending(group), []string{gone})
	}
	s.same("released by a later code", len(s.receive(code("alice", 5, 1)).Released), 0)
}

func TestWhatIsTriedAgainstNothingIsCounted(t *testing.T) {
	s := newStory(t)
	factors := s.db.Access().Factors
	for range 2 {
		_, err := factors.Attempt(t.Context(), "alice", taking(0), "")
		s.must(err)
	}
	f, ok, err := factors.Find(t.Context(), "alice")
	s.must(err)
	s.same("kept", f, supervisor.Factor{User: "alice", Failures: 2, Recovery: []string{}})
	s.same("is there", ok, true)
	list, err := factors.List(t.Context())
	s.must(err)
	s.same("enrolled", len(list), 0)
}

func TestOfAHundredWhoTryOneCodeOneIsRight(t *testing.T) {
	s := postbag{newStory(t)}
	var right atomic.Int64
	var group sync.WaitGroup
	for n := range 100 {
		group.Go(func() {
			v, err := s.db.Access().Factors.Attempt(t.Context(), "alice", taking(7), fmt.Sprint(n))
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
	s.same("tried", s.look("SELECT count(*) FROM audit"), "100")
}

func TestLoginsAreClosed(t *testing.T) {
	s := postbag{newStory(t)}
	logins := s.db.Access().Logins
	s.receive(code("alice", 1, 1), in("43", code("alice", 2, 2)), code("bob", 3, 1))
	login, ok, err := logins.FindLogin(t.Context(), "alice", supervisor.ChannelTelegram, "43")
	s.must(err)
	s.same("found", login, supervisor.Login{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "43", OpenedAt: noon,
		UsedAt: noon})
	s.same("is there", ok, true)
	s.must(logins.Close(t.Context(), "alice", supervisor.ChannelTelegram, "43"))
	_, ok, err = logins.FindLogin(t.Context(), "alice", supervisor.ChannelTelegram, "43")
	s.must(err)
	s.same("after it was closed", ok, false)
	n, err := logins.CloseAll(t.Context(), "alice")
	s.must(err)
	s.same("closed", n, int64(1))
	s.same("left", s.look("SELECT user FROM login"), "bob")
}
