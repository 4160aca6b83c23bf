package schedule

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// proposeTask lets a model that has read a forwarded message set a task.
func (h *harness) proposeTask(t testing.TB, arguments string) {
	t.Helper()
	h.sources = worldTurnOrigins{}
	h.foreign = func(context.Context, int64) (string, error) { return "a forward from Eve (20 Nov 10:00)", nil }
	if _, err := h.callTool(t, chatOf("alice"), "schedule_task", arguments); err != nil {
		t.Fatal(err)
	}
}

// press lets alice press a button.
func (h *harness) press(t testing.TB, what string) {
	t.Helper()
	if _, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 9, what, h.now); err != nil {
		t.Fatal(err)
	}
}

// If a user never starts a one-time task of the model, a message says so once its time has passed.
// The card says which words of others the model has read.
func TestProposedTask_TimePasses_IsReported(t *testing.T) {
	h := newHarness(t)
	h.proposeTask(t, `{"kind":"task","when":"in 2 h","text":"Mail Eve","name":"Mail"}`)
	card := h.saidTo(t, chatOf("alice"))[0]
	const why = "Start: I made it while reading words that are not yours: a forward from Eve (20 Nov 10:00)."
	if !strings.Contains(card, why) {
		t.Errorf("the card is %s", card)
	}
	h.passTime(t, 2*time.Hour-time.Minute)
	if said := h.saidTo(t, chatOf("alice")); len(said) != 1 {
		t.Errorf("before its time alice is told %q", said)
	}
	h.restart()
	for range 3 {
		if begun := h.passTime(t, time.Hour); len(begun) > 0 {
			t.Errorf("%d turns begin", len(begun))
		}
	}
	said := h.saidTo(t, chatOf("alice"))
	if len(said) != 2 || !strings.HasPrefix(said[1], "Mail was not started, because you did not press Start. Its "+
		"time was ") {
		t.Errorf("alice is told %q", said)
	}
	h.wantStates(t, "missed")
	if got := h.jobState(t, 1); got != "done" {
		t.Errorf("the task is %s", got)
	}
	h.press(t, supervisor.JobPressRun+" 1")
	if begun := h.passTime(t, 0); len(begun) != 1 {
		t.Errorf("its button begins %d turns", len(begun))
	}
}

// A task that was started, changed or deleted is not reported. A repeating task is not reported
// either.
func TestProposedTask_NotWaiting_IsNotReported(t *testing.T) {
	const once = `{"kind":"task","when":"in 2 h","text":"Mail Eve","name":"Mail"}`
	for name, c := range map[string]struct {
		task, press string
		begins      int
	}{
		"started":     {once, supervisor.JobPressStart, 1},
		"deleted":     {once, supervisor.JobPressDelete, 0},
		"paused":      {once, supervisor.JobPressPause, 0},
		"comes again": {`{"kind":"task","when":"daily at 14:00","text":"Mail Eve","name":"Mail"}`, "", 0},
		"a reminder":  {`{"when":"in 2 h","text":"Mail Eve"}`, "", 0},
	} {
		h := newHarness(t)
		h.proposeTask(t, c.task)
		if c.press != "" {
			h.press(t, c.press+" 1")
		}
		if begun := h.passTime(t, 3*time.Hour); len(begun) != c.begins {
			t.Errorf("%s: %d turns begin", name, len(begun))
		}
		for _, said := range h.saidTo(t, chatOf("alice")) {
			if strings.Contains(said, "not started") {
				t.Errorf("%s: alice is told %q", name, said)
			}
		}
	}
}

// A waiting task of a locked-out user, or of a user who is away, leaves the queue too.
func TestProposedTask_UserAway_IsReportedOnce(t *testing.T) {
	h := newHarness(t)
	h.proposeTask(t, `{"kind":"task","when":"in 40 days","text":"Mail Eve","name":"Mail"}`)
	h.resting["alice"] = true
	h.passTime(t, 41*24*time.Hour)
	h.resting["alice"] = false
	h.passTime(t, time.Minute)
	h.passTime(t, time.Hour)
	got := sqlitetest.QueryColumn(t, h.db, "SELECT count(*) FROM outbox WHERE text LIKE '%not started%'")
	if fmt.Sprint(got) != "[1]" {
		t.Errorf("%v notices", got)
	}
}

// If a waiting one-time task is forgotten, it is not reported.
func TestProposedTask_Forgotten_IsNotReported(t *testing.T) {
	h := newHarness(t)
	h.proposeTask(t, `{"kind":"task","when":"in 2 h","text":"Mail Eve","name":"Mail"}`)
	h.passTime(t, time.Minute)
	h.forget(t, 0, time.Hour)
	h.passTime(t, 3*time.Hour)
	for _, said := range h.saidTo(t, chatOf("alice")) {
		if strings.Contains(said, "not started") {
			t.Errorf("alice is told %q", said)
		}
	}
	if got := h.jobState(t, 1); got != "done" {
		t.Errorf("the task is %s", got)
	}
}
