package app_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// TestAQuestionIsAnsweredInWords: where it is the newest message. What else is written meanwhile is
// told what is waited for, once, and is kept for its turn.
func TestAQuestionIsAnsweredInWords(t *testing.T) {
	t.Parallel()
	l := approving(t, "ask", "")
	l.lay("a.txt", "hello\n")
	l.lay("b.txt", "hello b\n")
	l.Start()
	l.wants("a.txt")
	l.asks("bob", "b.txt", "I kept your message for later. First answer this")
	l.WaitFor(apptest.Patience, "the reminder to be delivered", l.delivered)
	l.say("bob", "Yes, please!")
	l.bot.Await(t, "bob to be asked about the other file", func() bool {
		return slices.ContainsFunc(l.told("bob"), func(text string) bool { return strings.HasPrefix(text, mayI) && strings.Contains(text, "b.txt") })
	})
	l.WaitFor(apptest.Patience, "the question to be delivered", l.delivered)
	l.arrived("a.txt")
	l.say("bob", "no")
	l.settle()
	l.arrived("a.txt")
	l.ends("error: send b.txt: not sent: bob was asked and said no.")
	for _, end := range []string{"\n\nAllowed once.", "\n\nDenied."} {
		if told := l.told("bob"); !slices.ContainsFunc(told, func(text string) bool { return strings.HasPrefix(text, mayI) && strings.HasSuffix(text, end) }) {
			t.Errorf("bob was told %q", told)
		}
	}
	for _, m := range l.bot.Sent(l.who("bob").ID) {
		if len(m.Keyboard) > 0 {
			t.Errorf("%q has kept its buttons", m.Text)
		}
	}
	l.audits(map[string]int{"question.once": 1, "question.deny": 1, "approval.allowed": 1})
	l.Stop()
}

// TestNoWordStandsForAFreshCode: a yes is kept, and what is waited for is told.
func TestNoWordStandsForAFreshCode(t *testing.T) {
	t.Parallel()
	l := approving(t, byCode, ", totp: required")
	l.enrol("bob")
	l.lay("a.txt", "hello\n")
	l.open()
	l.asks("bob", l.code("bob", 0), unlocked)
	l.wants("a.txt")
	l.asks("bob", "yes", "I kept your message for later. First I need the code")
	l.arrived()
	l.audits(map[string]int{"question.once": 0, "approval.allowed": 0})
}
