package app_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
)

// A question can be answered in words if it or its reminder is the newest message. A follow-up gets
// a reminder, and waits for a later turn.
func TestQuestion_TypedAnswer_IsAccepted(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, "ask", "")
	l.writeHomeFile("a.txt", "hello\n")
	l.writeHomeFile("b.txt", "hello b\n")
	l.Start()
	l.requestFile("a.txt")
	l.sayAndAwait("bob", "/followup b.txt", "I kept your message for later. First answer this")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder to be delivered", l.allDelivered)
	l.say("bob", "Yes, please!")
	l.bot.WaitUntil(t, "bob to be asked about the other file", func() bool {
		return slices.ContainsFunc(l.told("bob"), func(text string) bool {
			return strings.HasPrefix(text, fileQuestion) && strings.Contains(text, "b.txt")
		})
	})
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
	l.checkArrived("a.txt")
	l.say("bob", "no")
	l.awaitDone()
	l.checkArrived("a.txt")
	l.checkAnswer("error: send b.txt: not sent: bob was asked and said no.")
	for _, end := range []string{"\n\nAllowed once.", "\n\nDenied."} {
		if told := l.told("bob"); !slices.ContainsFunc(told, func(text string) bool { return strings.HasPrefix(text, fileQuestion) && strings.HasSuffix(text, end) }) {
			t.Errorf("bob was told %q", told)
		}
	}
	for _, m := range l.bot.BotMessages(l.telegramUser("bob").ID) {
		if len(m.Keyboard) > 0 {
			t.Errorf("%q has kept its buttons", m.Text)
		}
	}
	l.checkAudit(map[string]int{"question.once": 1, "question.deny": 1, "approval.allowed": 1})
	l.Stop()
}

// A typed yes does not replace a code. It is stored as a message, and the user is told that a code
// is needed.
func TestStepUp_TypedYes_IsNoCode(t *testing.T) {
	t.Parallel()
	l := newApprovalService(t, byCode, ", totp: required")
	l.enrol("bob")
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	l.sayAndAwait("bob", l.code("bob", 0), unlocked)
	l.requestFile("a.txt")
	l.sayAndAwait("bob", "yes", "I kept your message for later. First send the code")
	l.checkArrived()
	l.checkAudit(map[string]int{"question.once": 0, "approval.allowed": 0})
}
