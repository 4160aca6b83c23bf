package app_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// A reminder for a deleted topic goes to the user's private chat with a note. It never goes to
// another topic of the group.
func TestReminder_DeletedTopic_GoesToPrivateChat(t *testing.T) {
	t.Parallel()
	l := newReminderService(t)
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "You have no reminders")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("I now answer the people I know in this group")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/remind@mews_bot in 5 min: water the fern",
		telegramtest.WithThread(7))
	l.awaitInFlat("water the fern")
	before := len(l.bot.BotMessages(flatChat.ID))
	l.bot.InjectFault(telegramtest.Fault{Kind: telegramtest.ErrorFault, Chat: flatChat.ID, Times: -1, Code: 400,
		Text: "Bad Request: message thread not found"})
	l.move(5 * time.Minute)
	l.tick()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder", func() bool {
		return l.countTold("alice",
			"water the fern") == 1
	})
	if text := lastOf(l.told("alice")); !strings.Contains(text, "Reminder: water the fern") || text == "Reminder: water the fern" {
		t.Errorf("she is told %q, without a word of where it was to be said", text)
	}
	if now := len(l.bot.BotMessages(flatChat.ID)); now != before {
		t.Errorf("%d messages more are in the group", now-before)
	}
}

// The turn of a task may create reminders, but no tasks and no checks.
func TestTaskTurn_MayCreateOnlyReminders(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{{words: "every day", calls: calls("schedule_task", `{"when":"daily at 9","text":"Look.","kind":"task","name":"Look"}`), answer: "It is set."}}}
	l := newTaskService(t, m, "")
	l.say("alice", "look every day")
	l.awaitLastTold("alice", "It is set.")
	m.queueAnswers(modeltest.Answer{Calls: calls("schedule_task", `{"when":"daily at 10","text":"Look more.","kind":"task"}`)},
		modeltest.Answer{Calls: calls("schedule_task", `{"when":"daily at 11","text":"Look there.","kind":"check","check":{"command":"true"}}`)},
		modeltest.Answer{Calls: calls("schedule_task", `{"when":"tomorrow at 12","text":"the roses"}`)}, reportAnswer("I have looked."))
	l.moveTo(time.Date(2025, 11, 21, 8, 1, 0, 0, time.UTC))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "what it says", func() bool {
		return l.countTold("alice",
			"I have looked.") == 1
	})
	if got := l.query("SELECT group_concat(kind || ' ' || text, ', ') FROM (SELECT * FROM job WHERE user = 'alice' ORDER BY id)"); got != "agent Look., reminder the roses" {
		t.Errorf("alice has %s", got)
	}
	refused := 0
	for _, r := range l.model.Requests() {
		refused = max(refused, strings.Count(string(r.Raw), "A task may set reminders, but no tasks that ask a model."))
	}
	if refused != 2 {
		t.Errorf("%d calls were refused with a reason, want 2", refused)
	}
}
