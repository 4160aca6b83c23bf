package app_test

import (
	"slices"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// TestAnothersPressIsAToast: whoever presses a button in a group that is not theirs is told so for
// a moment, and the group reads nothing of it. The button goes on being its person's.
func TestAnothersPressIsAToast(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, fileSender, "", "alice, role: admin", "bob, approvals: {send_file: ask}")}
	l.lay("a.txt", "hello\n")
	l.open()
	l.bot.Say(theFlat, l.who("alice"), "/allow")
	l.inFlat("People may speak with me")
	l.bot.Say(theFlat, l.who("bob"), "@mews_bot a.txt")
	l.inFlat(mayI)
	l.WaitFor(apptest.Patience, "the question to be delivered", l.delivered)
	said := l.bot.Sent(theFlat.ID)
	card := said[slices.IndexFunc(said, func(m telegramtest.Message) bool { return len(m.Keyboard) > 0 })]
	press := func(name string) (ack telegramtest.Ack) {
		t.Helper()
		_, query, err := l.bot.Press(theFlat, l.who(name), card.ID, card.Keyboard[0][0].Data)
		if err != nil {
			t.Fatal(err)
		}
		l.bot.Await(t, "the press of "+name+" to be acknowledged", func() bool {
			acks := l.bot.Acks()
			i := slices.IndexFunc(acks, func(a telegramtest.Ack) bool { return a.Query == query })
			if i >= 0 {
				ack = acks[i]
			}
			return i >= 0
		})
		return ack
	}
	if ack := press("alice"); ack.Text != "This button is not for you: somebody else was asked." || ack.Alert {
		t.Errorf("alice is shown %+v", ack)
	}
	if n := l.Count("SELECT count(*) FROM inbox WHERE kind = 'press'"); n != 0 {
		t.Errorf("%d presses are kept", n)
	}
	if now := l.bot.Sent(theFlat.ID); len(now) != len(said) {
		t.Errorf("the group read %q", now[len(now)-1].Text)
	}
	l.arrived()
	if ack := press("bob"); ack.Text != "" {
		t.Errorf("bob is shown %+v", ack)
	}
	l.settle()
	if n := l.Count("SELECT count(*) FROM effect WHERE kind = 'file.sent'"); n != 1 {
		t.Errorf("%d files have left", n)
	}
	l.audits(map[string]int{"question.foreign": 1, "question.once": 1})
}
