package app_test

import (
	"strings"
	"testing"
)

// After /settings timezone, the worker's clock and the dates of answers are in the new zone. At the
// story's time it is the next day on Kiritimati.
func TestTimezoneChange_ReachesNextTurn(t *testing.T) {
	t.Parallel()
	const zone, nextDay = "Pacific/Kiritimati", "2025-11-21"
	script := scriptedModel{
		{"What time", calls("get_time", `{}`), "Now."},
		{"Which day", calls("ask_user", `{"question":"When?","kind":"date"}`), "Then."},
	}
	l := newAliceService(t, providerKinds["openai"], script.answer, "", aliceInMadrid)
	l.open()
	askTime := func(want string) {
		said := l.sayInChat("What time is it?").AnsweredCalls()
		if len(said) != 1 || !strings.Contains(said[0].Result, want) {
			t.Errorf("the worker's clock: %+v, want %s", said, want)
		}
	}
	askTime("Europe/Madrid")
	l.awaitIdle()
	l.say("alice", "/settings timezone "+zone)
	l.awaitLastTold("alice", "timezone is "+zone)
	askTime(zone)
	said := l.turn(func() {
		l.say("alice", "Which day do I mean?")
		l.awaitLastTold("alice", "When?")
		l.say("alice", "today")
	}).AnsweredCalls()
	if len(said) != 1 || !strings.Contains(said[0].Result, nextDay) {
		t.Errorf("today is not %s: %+v", nextDay, said)
	}
}
