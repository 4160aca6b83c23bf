package sqlite_test

import (
	"testing"
	"time"
)

func TestFreezeChat_ShorterFreeze_IsIgnored(t *testing.T) {
	s := newStory(t)
	freeze := func(source, chat string, after time.Duration) {
		s.Helper()
		s.must(s.db.Outbox().StoreChatFreeze(t.Context(), source, chat, noon.Add(after)))
	}
	frozen := func(source string) map[string]time.Time {
		s.Helper()
		all, err := s.db.Outbox().ListChatFreezes(t.Context(), source)
		s.must(err)
		return all
	}
	s.same("at first", frozen(bot), map[string]time.Time{})
	freeze(bot, "42", 30*time.Second)
	freeze(bot, "42", 10*time.Second) // a shorter freeze changes nothing
	freeze(bot, "", time.Minute)
	freeze(bot, "43", time.Second)
	freeze(bot, "43", 2*time.Second)
	freeze("another bot", "42", time.Hour)
	s.same("frozen", frozen(bot), map[string]time.Time{"42": noon.Add(30 * time.Second), "": noon.Add(time.Minute),
		"43": noon.Add(2 * time.Second)})

	s.now = noon.Add(30 * time.Second)
	s.same("later", frozen(bot), map[string]time.Time{"": noon.Add(time.Minute)})
	s.same("kept", s.query("SELECT source || chat FROM freeze ORDER BY 1"), "another bot42 "+bot)
	freeze(bot, "44", time.Minute+time.Nanosecond)
	if until := frozen(bot)["44"]; until.Before(noon.Add(time.Minute + time.Nanosecond)) {
		t.Errorf("it is frozen until %s only", until)
	}
}
