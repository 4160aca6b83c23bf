package sqlite_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestBind_AccountOfAnotherUser_Fails(t *testing.T) {
	s := batchStory{newStory(t)}
	bindings := s.db.UserAccessStores().Bindings
	one := sqlite.AccountBinding{Channel: "telegram", Account: "7", User: "alice"}
	for range 2 {
		s.must(bindings.BindAccount(t.Context(), one))
	}
	other := one
	other.User = "bob"
	s.checkRefused(bindings.BindAccount(t.Context(), other), supervisor.CodeForbidden, "another person's")
	list, err := bindings.List(t.Context())
	s.must(err)
	s.same("bindings", list, []sqlite.AccountBinding{one})
}

// The oldest account of a user stays the first, so that no later one becomes the private chat.
func TestRemoveAccount_LeavesOtherAccounts(t *testing.T) {
	s := newStory(t)
	bindings := s.db.UserAccessStores().Bindings
	first := sqlite.AccountBinding{Channel: "telegram", Account: "9", User: "alice"}
	later := sqlite.AccountBinding{Channel: "telegram", Account: "1", User: "alice"}
	s.must(bindings.BindAccount(t.Context(), first))
	s.now = s.now.Add(time.Minute)
	s.must(bindings.BindAccount(t.Context(), later))
	list, err := bindings.List(t.Context())
	s.must(err)
	s.same("bindings", list, []sqlite.AccountBinding{first, later})
	for _, c := range []struct {
		b    sqlite.AccountBinding
		want bool
	}{{sqlite.AccountBinding{Channel: "telegram", Account: "1", User: "bob"}, false}, {later, true}, {later, false}} {
		gone, err := bindings.Remove(t.Context(), c.b, sqlite.AuditEntry{User: c.b.User, Action: "account.removed"})
		s.must(err)
		s.same("removed", gone, c.want)
	}
	if list, err = bindings.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.same("bindings", list, []sqlite.AccountBinding{first})
	s.same("audited", s.query("SELECT count(*) FROM audit WHERE action = 'account.removed'"), "1")
}

func TestGroups_Disallow_RemovesGroup(t *testing.T) {
	s := newStory(t)
	groups := s.db.UserAccessStores().Groups
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
