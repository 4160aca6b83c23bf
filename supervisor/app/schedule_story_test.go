package app_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// newReminderService configures a service in which alice and bob set reminders. Alice lives in
// Madrid. Her time is Thursday, 13:19.
func newReminderService(t *testing.T) *aliceService {
	l := newAliceService(t, providerKinds["openai"], scriptedModel{}.answer, "", aliceInMadrid, "bob, totp: 'off'")
	l.open()
	return l
}

// awaitLastTold waits until the last message to a user contains these words.
func (l *aliceService) awaitLastTold(name, words string) {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, name+" to be told "+words,
		func() bool { return strings.Contains(lastOf(l.told(name)), words) })
}

// countTold returns how many messages to a user contain these words.
func (l *aliceService) countTold(name, words string) int {
	return strings.Count(strings.Join(l.told(name), "\n"), words)
}

// tick wakes the scheduler by setting a reminder.
func (l *aliceService) tick() {
	l.T.Helper()
	l.say("bob", "/remind in 300 days: tick")
}

// A reminder that was set in words comes at its time, once or repeatedly.
func TestReminder_ComesAtItsTime(t *testing.T) {
	t.Parallel()
	l := newReminderService(t)
	l.say("alice", "/remind tomorrow at 9: call the plumber")
	l.awaitLastTold("alice", "once\nNext: Fri 21 Nov 2025 09:00 CET (+01:00)")
	l.say("alice", "/remind weekdays 8:30:\nstand up")
	l.awaitLastTold("alice", "weekdays at 08:30\nNext: Fri 21 Nov 2025 08:30 CET (+01:00); Mon 24 Nov 2025 08:30")
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "1: call the plumber")
	l.say("bob", "/tasks")
	l.awaitLastTold("bob", "You have no reminders and no tasks.")
	l.say("bob", "/canceljob 1")
	l.awaitLastTold("bob", "There is no reminder or task 1.")

	l.move(time.Date(2025, 11, 21, 8, 0, 30, 0, time.UTC).Sub(l.now()))
	l.tick()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the one", func() bool {
		return l.countTold("alice",
			"Reminder: call the plumber") == 1
	})
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the other", func() bool {
		return l.countTold("alice", "Reminder: stand up\n\nIt was due at 08:30, 30 minutes ago.") == 1
	})
	l.pressButton("Reminder: call the plumber", "10 min")
	l.awaitLastTold("alice", "I will remind you again on Fri 21 Nov 2025 09:10")

	// The service is down for four days. Then the reminder comes once, with its last due time.
	l.shut()
	l.move(4 * 24 * time.Hour)
	l.open()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "what was missed", func() bool {
		return l.countTold("alice",
			"Reminder: call the plumber") == 2
	})
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "what was missed", func() bool {
		return l.countTold("alice", "Reminder: stand up\n\nIt was due at 08:30, 30 minutes ago.") == 2
	})
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "weekdays at 08:30: Wed 26 Nov 2025 08:30")
	l.say("alice", "/canceljob 2")
	l.awaitLastTold("alice", "Reminder 2 is deleted: stand up")
	l.move(7 * 24 * time.Hour)
	l.tick()
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "You have no reminders and no tasks.")
	if n := l.countTold("alice", "Reminder: stand up"); n != 2 {
		t.Errorf("she was reminded %d times to stand up, want 2: %q", n, l.told("alice"))
	}
}

// A reminder whose words are not understood is refused with examples, and is not stored.
func TestReminder_UnreadableTime_IsRefused(t *testing.T) {
	l := newReminderService(t)
	for text, want := range map[string]string{
		"/remind":                               "Write when, a colon, and what",
		"/remind soon: x":                       "is no time that I can read",
		"/remind 3/4 at 9: x":                   "Write 3 Apr or 4 Mar.",
		"/remind 2025-11-20 10:00: x":           "Thu 20 Nov 2025 10:00 CET, which is past",
		"/remind every day at 8 for a while: x": "is no time that I can read",
		"/canceljob":                            "Which one?",
		"/canceljob one":                        "There is no reminder or task one.",
	} {
		l.say("alice", text)
		l.awaitLastTold("alice", want)
	}
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "You have no reminders and no tasks.")
}

// After a user's time zone changes, the user is asked once whether to move the jobs to the new
// zone.
func TestTimezoneChange_AsksToMoveJobs(t *testing.T) {
	t.Parallel()
	l := newReminderService(t)
	l.say("alice", "/remind weekdays 8:30: stand up")
	l.awaitLastTold("alice", "08:30 CET (+01:00)")
	l.say("alice", "/settings timezone America/New_York")
	l.awaitLastTold("alice", "1 reminder or task keeps its times in the old time zone.")
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "08:30 CET (+01:00)")
	l.pressButton("in the old time zone", "Move it")
	l.awaitLastTold("alice", "1 reminder or task moved to your new time zone.")
	l.say("alice", "/jobs")
	l.awaitLastTold("alice", "weekdays at 08:30: Thu 20 Nov 2025 08:30 EST (-05:00)")
	l.say("alice", "/settings timezone America/New_York")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the answer", func() bool {
		return l.countTold("alice",
			"timezone is America/New_York") == 2
	})
	if n := l.countTold("alice", "in the old time zone"); n != 1 {
		t.Errorf("she was asked %d times", n)
	}
}

// After Change, a message that is no time ends the question. The reminder stays, and the assistant
// answers the message. A time still changes the reminder.
func TestChangeReminder_OtherMessage_GetsAnAnswer(t *testing.T) {
	t.Parallel()
	l := newAliceService(t, providerKinds["openai"], scriptedModel{{words: "weather", answer: "It rains."}}.answer, "",
		aliceInMadrid, "bob, totp: 'off'")
	l.open()
	change := func(text string) {
		t.Helper()
		l.say("alice", "/remind tomorrow at 9: "+text)
		l.pressButton(text, "Change")
		l.awaitLastTold("alice", "What should change about reminder")
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
	}
	change("call the plumber")
	l.say("alice", "what is the weather like?")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the answer",
		func() bool { return l.countTold("alice", "It rains.") == 1 })
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder to stay",
		func() bool { return l.countTold("alice", "Reminder 1 stays as it is.") == 1 })
	change("call the baker")
	l.say("alice", "tomorrow at 10")
	l.awaitLastTold("alice", "Next: Fri 21 Nov 2025 10:00")
}
