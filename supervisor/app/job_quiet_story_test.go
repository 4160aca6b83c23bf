package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// A task's question at night is asked in the morning, after the notices, even if the service
// restarts meanwhile. A message that the user sends at night does not answer the question.
func TestTaskQuestion_AtNight_WaitsForMorning(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "every night", calls: calls("schedule_task", `{"when":"daily at 23:30","text":"Water it.","kind":"task","name":"Garden"}`), answer: "It is set."},
		{words: "yes", answer: "What do you mean?"},
	}}
	l := newTaskService(t, m, "")
	l.say("alice", "/settings quiet 22:00-07:30")
	l.awaitLastTold("alice", "22:00-07:30")
	l.say("alice", "water the garden every night")
	l.awaitLastTold("alice", "It is set.")
	l.say("alice", "/remind every 11 h: drink")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder",
		func() bool { return l.query("SELECT count(*) FROM job WHERE text = 'drink'") == "1" })

	m.queueAnswers(modeltest.Answer{Calls: calls("ask_user", `{"question":"Shall I?","kind":"confirm"}`)}, reportAnswer("I have watered it."))
	l.moveTo(time.Date(2025, 11, 20, 22, 31, 0, 0, time.UTC))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the task to ask",
		func() bool { return l.query("SELECT count(*) FROM fire WHERE state = 'asked'") == "1" })
	l.say("alice", "yes")
	l.awaitLastTold("alice", "What do you mean?")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "that to be over",
		func() bool { return l.query("SELECT count(*) FROM turn WHERE ended_at IS NULL") == "1" })
	before := len(l.told("alice"))
	l.shut()
	l.open()
	l.moveTo(time.Date(2025, 11, 21, 6, 29, 0, 0, time.UTC))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the reminder to be held",
		func() bool { return l.query("SELECT count(*) FROM held_notice") == "2" })
	if now := l.told("alice"); len(now) != before {
		t.Fatalf("in quiet hours she is told %q", now[before:])
	}
	l.moveTo(time.Date(2025, 11, 21, 6, 30, 30, 0, time.UTC))
	l.awaitCard("alice", "Shall I?")
	if now := l.told("alice")[before:]; len(now) != 2 || !strings.Contains(now[0], "Reminder: drink") || !strings.Contains(now[1], "Shall I?") {
		t.Errorf("in the morning she is told %q", now)
	}
	l.pressButton("Shall I?", "Yes")
	l.awaitLastTold("alice", "I have watered it.")
	if asked := slices.Collect(strings.Lines(l.query("SELECT why FROM question"))); len(asked) != 1 || asked[0] != "answered" {
		t.Errorf("the question has ended as %q", asked)
	}
}
