package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// A user who presses another user's button in a group gets a toast. The group does not see it, and
// the button still works for its owner.
func TestPress_OtherUsersButton_ShowsToast(t *testing.T) {
	t.Parallel()
	l := approvalService{newGatedService(t, sendFileModel, "", "alice, role: admin",
		"bob, approvals: {send_file: ask}")}
	l.writeHomeFile("a.txt", "hello\n")
	l.open()
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.bot.Say(flatChat, l.telegramUser("bob"), "@mews_bot a.txt")
	l.awaitInFlat(fileQuestion)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
	said := l.bot.BotMessages(flatChat.ID)
	card := said[slices.IndexFunc(said, func(m telegramtest.Message) bool { return len(m.Keyboard) > 0 })]
	press := func(name string) (ack telegramtest.PressAck) {
		t.Helper()
		_, query, err := l.bot.PressButton(flatChat, l.telegramUser(name), card.ID, card.Keyboard[0][0].Data)
		if err != nil {
			t.Fatal(err)
		}
		l.bot.WaitUntil(t, "the press of "+name+" to be acknowledged", func() bool {
			acks := l.bot.PressAcks()
			i := slices.IndexFunc(acks, func(a telegramtest.PressAck) bool { return a.Query == query })
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
	if n := l.QueryCount("SELECT count(*) FROM inbox WHERE kind = 'press'"); n != 0 {
		t.Errorf("%d presses are kept", n)
	}
	if now := l.bot.BotMessages(flatChat.ID); len(now) != len(said) {
		t.Errorf("the group read %q", now[len(now)-1].Text)
	}
	l.checkArrived()
	if ack := press("bob"); ack.Text != "" {
		t.Errorf("bob is shown %+v", ack)
	}
	l.awaitDone()
	if n := l.QueryCount("SELECT count(*) FROM effect WHERE kind = 'file.sent'"); n != 1 {
		t.Errorf("%d files have left", n)
	}
	l.checkAudit(map[string]int{"question.foreign": 1, "question.once": 1})
}

// In a group the buttons of a reminder work for its owner only.
func TestPress_ReminderInGroup_WorksForOwner(t *testing.T) {
	t.Parallel()
	l := newReminderService(t)
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/remind@mews_bot in 5 min: water the fern")
	l.awaitInFlat("Next: ")
	l.move(5 * time.Minute)
	l.tick()
	l.awaitInFlat("Reminder: water the fern")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder to be delivered",
		func() bool { return l.allDelivered() })
	said := l.bot.BotMessages(flatChat.ID)
	isReminder := func(m telegramtest.Message) bool { return strings.HasPrefix(m.Text, "Reminder: ") }
	reminder := said[slices.IndexFunc(said, isReminder)]
	for _, b := range slices.Concat(reminder.Keyboard...) {
		if b.Text == "10 min" {
			for _, name := range []string{"bob", "alice"} {
				if _, _, err := l.bot.PressButton(flatChat, l.telegramUser(name), reminder.ID, b.Data); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	l.awaitInFlat("I will remind you again on")
	if n := l.QueryCount("SELECT count(*) FROM inbox WHERE kind = 'press' AND user = 'bob'"); n != 0 {
		t.Errorf("%d presses of bob are kept", n)
	}
	if n := l.QueryCount("SELECT count(*) FROM job WHERE text = 'water the fern'"); n != 2 {
		t.Errorf("there are %d jobs, want the reminder and its repeat", n)
	}
}

// A private answer to a command in a group counts as sent only if the private chat takes it.
func TestGroupCommand_PrivateChatBlocked_SaysSo(t *testing.T) {
	t.Parallel()
	l := newReminderService(t)
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "You have no reminders")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/memory@mews_bot")
	l.awaitInFlat("I answered you in our private chat.")
	l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Chat: l.telegramUser("alice").ID, Times: -1,
		Code: 403, Text: "Forbidden: bot was blocked by the user"})
	l.bot.Say(flatChat, l.telegramUser("alice"), "/memory@mews_bot")
	l.awaitInFlat("I can't write to you in private. Open a chat with me, press Start, and ask again.")
}
