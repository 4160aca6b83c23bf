package sqlite_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// digest returns a text with the form of a digest.
func digest(name string) string { return strings.Repeat("0", 64-len(name)) + name }

func TestRemoveUser_AddedUser_IsDeleted(t *testing.T) {
	s := newStory(t)
	access := s.db.UserAccessStores()
	bob := supervisor.User{Name: "bob", Role: supervisor.RoleUser, Account: "bob", Timezone: "Europe/Madrid"}
	ann := supervisor.User{Name: "ann", Role: supervisor.RoleAdmin}
	s.must(access.People.Add(t.Context(), bob))
	s.must(access.People.Add(t.Context(), ann))
	s.checkRefused(access.People.Add(t.Context(), bob), supervisor.CodeInvalid, "called bob already")
	list, err := access.People.List(t.Context())
	s.must(err)
	s.same("people", list, []supervisor.User{ann, bob})

	s.must(access.Bindings.BindAccount(t.Context(), sqlite.AccountBinding{Channel: "telegram", Account: "7",
		User: "bob"}))
	s.must(access.Invites.Put(t.Context(), sqlite.Invite{Digest: digest("a"), User: "bob", ExpiresAt: noon.Add(time.Hour)}))
	batchStory{s}.receive(codeItem("bob", 1, 1))
	there, err := access.People.Remove(t.Context(), "bob")
	s.must(err)
	s.same("removed", there, true)
	for _, table := range []string{"binding", "invite", "login"} {
		s.same("what lets them in", s.query("SELECT count(*) FROM "+table), "0")
	}
	s.same("their factor", s.query("SELECT count(*) FROM totp"), "1")
	there, err = access.People.Remove(t.Context(), "bob")
	s.must(err)
	s.same("removed again", there, false)
}

func TestSuspendUser_OpenLogins_AreEnded(t *testing.T) {
	s := batchStory{newStory(t)}
	people := s.db.UserAccessStores().People
	suspended := func(want ...string) {
		s.Helper()
		list, err := people.ListSuspended(t.Context())
		s.must(err)
		s.same("suspended", list, want)
	}
	s.receive(codeItem("alice", 1, 1), codeItem("bob", 2, 1))
	for range 2 {
		s.must(people.Suspend(t.Context(), "alice", true))
		suspended("alice")
	}
	logins, err := s.db.UserAccessStores().Logins.List(t.Context())
	s.must(err)
	s.same("logins", logins, []supervisor.Login{{User: "bob", Channel: supervisor.ChannelTelegram, Chat: "42", OpenedAt: noon,
		UsedAt: noon}})
	for range 2 {
		s.must(people.Suspend(t.Context(), "alice", false))
		suspended()
	}
}

// An invite code of a suspended user can't be used, even after the suspension.
func TestSuspendUser_UnusedInvites_AreDeleted(t *testing.T) {
	s := newStory(t)
	a := s.db.UserAccessStores()
	put := func(name string) {
		t.Helper()
		s.must(a.Invites.Put(t.Context(), sqlite.Invite{Digest: digest(name), User: "alice", ExpiresAt: noon.Add(time.Hour)}))
	}
	refused := func(name string) {
		t.Helper()
		_, err := a.Invites.Redeem(t.Context(), digest(name), supervisor.ChannelTelegram, "7", "")
		if supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	put("a")
	put("b")
	s.must(a.People.Suspend(t.Context(), "alice", true, sqlite.AuditEntry{User: "alice", Action: "user.disabled"}))
	put("c") // the invite is stored during the suspension
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
