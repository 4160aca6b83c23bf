package chat

import (
	"testing"
	"time"
)

func TestShouldStop_OnlyNewLines_NeedAnotherStop(t *testing.T) {
	var a unanswered
	now := time.Unix(1000, 0)
	stops := func(key string, want bool) {
		t.Helper()
		if got := a.shouldStop(key, now); got != want {
			t.Errorf("%s is sent: %t, want %t", key, got, want)
		}
	}
	a.add("one")
	stops("s1", true)
	now = now.Add(time.Hour)
	stops("s2", false) // the first /stop is under way, perhaps while the supervisor is away
	a.add("two")
	stops("s3", true) // a line after a /stop needs another /stop
	a.answered("s3")
	stops("s4", false) // a second Ctrl-C within a second sends nothing
	now = now.Add(stopRepeatWindow)
	stops("s5", true)
}

func TestUnansweredLine_NeedsItsOwnAnswer(t *testing.T) {
	var a unanswered
	a.answered("another's")
	a.add("one")
	a.add("/etc/passwd")
	for _, key := range []string{"another's", "", "one"} {
		a.answered(key)
		if !a.hasLines() {
			t.Fatalf("after the answer to %q nothing is left", key)
		}
	}
	if a.answered("/etc/passwd"); a.hasLines() {
		t.Error("after the last answer something is left")
	}
}
