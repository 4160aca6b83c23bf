package app_test

import (
	"testing"
	"time"

	"mews/supervisor/app/apptest"
)

// A task was due while the service was down. It runs once, is skipped, or asks first, as its user
// chose.
func TestMissedTask_RunsSkipsOrAsksAsChosen(t *testing.T) {
	t.Parallel()
	task := func(name, missed string) string {
		return `{"when":"daily at 15:00","text":"See to it.","kind":"task","name":"` + name + `","options":{"on_miss":"` + missed + `"}}`
	}
	m := &taskModel{chat: scriptedModel{{words: "every afternoon", calls: calls("schedule_task", task("Garden", "run"), "schedule_task", task("Barn", "skip"), "schedule_task", task("Gate", "ask")), answer: "It is set."}}}
	l := newTaskService(t, m, "")
	l.say("alice", "see to the garden, the barn and the gate every afternoon")
	l.awaitLastTold("alice", "It is set.")
	m.queueAnswers(reportAnswer("It is watered."), reportAnswer("It is shut."))
	l.shut()
	// four hours after the task was first due
	l.move(time.Date(2025, 11, 20, 18, 0, 0, 0, time.UTC).Sub(l.now()))
	l.open()
	has := func(words string) {
		t.Helper()
		l.WaitUntilTrue(apptest.DefaultTestTimeout, "alice to be told "+words, func() bool {
			return l.countTold("alice",
				words) == 1
		})
	}
	has("Garden\n\nIt is watered.")
	has("Barn was missed")
	has("Shall I do it now?")
	if n, _ := m.countRequests(); n != 1 {
		t.Errorf("%d tasks have asked a model, want 1", n)
	}
	l.pressButton("Shall I do it now?", "Run now")
	has("Gate\n\nIt is shut.")
	if got := l.query("SELECT group_concat(state, ' ') FROM (SELECT state FROM fire ORDER BY job, due)"); got != "said missed missed said" {
		t.Errorf("the fires are %q", got)
	}
}
