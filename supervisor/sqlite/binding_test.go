package sqlite_test

import (
	"testing"

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
