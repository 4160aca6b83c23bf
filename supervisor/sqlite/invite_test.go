package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestRedeemInvite_UsedOrExpired_Fails(t *testing.T) {
	s := newStory(t)
	invites := s.db.UserAccessStores().Invites
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
	s.same("audited", s.query("SELECT user || ' ' || action || ' ' || detail FROM audit"),
		"alice invite.redeemed by account 7 of telegram")
	for _, bad := range []string{a.Digest, late.Digest, digest("d")} {
		_, err := invites.Redeem(t.Context(), bad, "telegram", "8", "")
		s.checkRefused(err, supervisor.CodeNotFound, "is not valid, or no longer valid")
	}
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "7", "")
	s.checkRefused(err, supervisor.CodeForbidden, "another person's")
	open(b)
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "9", "ann")
	s.checkRefused(err, supervisor.CodeForbidden, "another person's")
	open(b)
	whose, err := s.db.UserAccessStores().Bindings.FindUser(t.Context(), "telegram", "9")
	s.must(err)
	s.same("whose the refused account is", whose, "")
	_, err = invites.Redeem(t.Context(), b.Digest, "telegram", "8", "bob")
	s.must(err)
	whose, err = s.db.UserAccessStores().Bindings.FindUser(t.Context(), "telegram", "8")
	s.must(err)
	s.same("whose the bound account is", whose, "bob")
	s.same("bound", s.query("SELECT account || user FROM binding ORDER BY account"), "7alice 8bob")
	again := put("e", "alice", time.Hour)
	_, err = invites.Redeem(t.Context(), again.Digest, "telegram", "7", "alice")
	s.must(err) // the owner of the account may use the invite to enrol
	put("f", "alice", time.Hour)
	n, err := invites.Revoke(t.Context(), "alice")
	s.must(err)
	s.same("revoked, with what nobody used in time", n, int64(2))
	open()
}

// An invite lets its user enrol one factor. After that factor is confirmed or reset, the invite
// allows no other factor.
func TestMayEnrolFactor_ConfirmedFactor_IsFalse(t *testing.T) {
	for name, end := range map[string]func(sqlite.SecondFactors) error{
		"confirmed": func(f sqlite.SecondFactors) error {
			_, err := f.TryCode(t.Context(), "alice", acceptStep(1), "")
			if err == nil {
				_, err = f.TryCode(t.Context(), "alice", func(f supervisor.SecondFactor,
					_ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
					f.Confirmed = false // an unconfirmed factor does not count
					return f, supervisor.LoginCodeResult{Action: "x"}
				}, "")
			}
			return err
		},
		"reset": func(f sqlite.SecondFactors) error {
			_, _, err := f.Reset(t.Context(), "alice")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			access := s.db.UserAccessStores()
			for _, user := range []string{"alice", "bob"} {
				i := sqlite.Invite{Digest: digest(user), User: user, ExpiresAt: noon.Add(time.Hour), Enrol: true}
				s.must(access.Invites.Put(t.Context(), i))
				_, err := access.Invites.Redeem(t.Context(), i.Digest, "telegram", user, "")
				s.must(err)
			}
			may := func(user string, want bool) {
				s.Helper()
				got, err := access.Invites.MayEnrolFactor(t.Context(), user)
				s.must(err)
				s.same(user+" may enrol", got, want)
			}
			s.must(access.Factors.Put(t.Context(), "alice", []byte("sealed"), nil))
			_, err := access.Factors.TryCode(t.Context(), "alice", acceptStep(-1), "")
			s.must(err)
			may("alice", true) // a wrong code does not end the permission
			s.must(end(access.Factors))
			may("alice", false)
			may("bob", true)
		})
	}
}
