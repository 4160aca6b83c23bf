package sqlite_test

import (
	"testing"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestBind_AccountOfAnotherUser_Fails(t *testing.T) {
	s := batchStory{newStory(t)}
	bindings := s.db.Access().Bindings
	one := sqlite.Binding{Channel: "telegram", Account: "7", User: "alice"}
	for range 2 {
		s.must(bindings.Bind(t.Context(), one))
	}
	other := one
	other.User = "bob"
	s.checkRefused(bindings.Bind(t.Context(), other), supervisor.CodeForbidden, "another person's")
	list, err := bindings.List(t.Context())
	s.must(err)
	s.same("bindings", list, []sqlite.Binding{one})
}

func TestGroups_Disallow_RemovesGroup(t *testing.T) {
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
