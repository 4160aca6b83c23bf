package sqlite_test

import "testing"

func TestPutSetting_SameName_ReplacesValue(t *testing.T) {
	s := newStory(t)
	settings := s.db.Settings()
	has := func(what, user, name, want string, wantOK bool) {
		s.Helper()
		value, ok, err := settings.Find(t.Context(), user, name)
		s.must(err)
		s.same(what, []any{value, ok}, []any{want, wantOK})
	}
	has("at first", "alice", "model", "", false)
	s.must(settings.Put(t.Context(), "alice", "model", "anthropic/one"))
	s.must(settings.Put(t.Context(), "alice", "model", "anthropic/two"))
	s.must(settings.Put(t.Context(), "alice", "thinking", ""))
	s.must(settings.Put(t.Context(), "", "model", "offline"))
	has("the last", "alice", "model", "anthropic/two", true)
	has("an empty one", "alice", "thinking", "", true)
	has("the service's", "", "model", "offline", true)
	has("another's", "bob", "model", "", false)
	all, err := settings.List(t.Context(), "alice")
	s.must(err)
	s.same("all", all, map[string]string{"model": "anthropic/two", "thinking": ""})

	for range 2 {
		s.must(settings.Delete(t.Context(), "alice", "model"))
	}
	has("taken back", "alice", "model", "", false)
	has("beside it", "alice", "thinking", "", true)
	has("the service's still", "", "model", "offline", true)
}
