package schedule

import (
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// A task may have fired by a clock that was a day ahead. A run by hand still begins at once. A
// hook's call begins within a minute.
func TestRunNow_ClockSetBack_BeginsAtOnce(t *testing.T) {
	h := newHarness(t)
	id := h.putTask(t, "every 10 min", supervisor.JobOptions{})
	done := sqlite.TurnEnding{Why: protocol.TurnEndDone, Text: "x"}
	h.now = h.now.Add(24 * time.Hour)
	for _, in := range h.passTime(t, 11*time.Minute) {
		h.endTurn(t, in, done)
	}
	h.now = h.now.Add(-24 * time.Hour)
	if _, err := h.RunNow(t.Context(), h.job(t, id), h.now); err != nil {
		t.Fatal(err)
	}
	begun := h.passTime(t, 0)
	if len(begun) != 1 {
		t.Fatalf("by hand %d begin", len(begun))
	}
	h.endTurn(t, begun[0], done)
	if err := h.Trigger(t.Context(), "alice", "Look", h.now.Add(time.Second), "{}"); err != nil {
		t.Fatal(err)
	}
	if begun = h.passTime(t, time.Second+triggerGap); len(begun) != 1 {
		t.Errorf("by a call %d begin", len(begun))
	}
}

// Runs started by a hook begin at least a minute apart, also after a run that had to wait.
func TestTrigger_ManyCalls_RunOncePerMinute(t *testing.T) {
	h := newHarness(t)
	h.putTask(t, "in 20 days", supervisor.JobOptions{})
	var began []int
	for second := range 200 {
		switch second {
		case 0, 1, 63, 64:
			if err := h.Trigger(t.Context(), "alice", "Look", h.now, "{}"); err != nil {
				t.Fatal(err)
			}
		}
		for _, in := range h.passTime(t, 0) {
			began = append(began, second)
			h.endTurn(t, in, sqlite.TurnEnding{Why: protocol.TurnEndDone})
		}
		h.now = h.now.Add(time.Second)
	}
	if want := []int{0, 60, 120}; !slices.Equal(began, want) {
		t.Errorf("turns begin at %v, want %v", began, want)
	}
}

// If the clock was years ahead and is right again, a waiting task does not wait for those years. A
// paused task resumes from now.
func TestTasks_ClockYearsAhead_Recover(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "daily at 14:00: pills")
	h.remind(t, "alice", "in 3 days: the filter")
	for range 2 {
		h.putTask(t, "daily at 14:00", supervisor.JobOptions{Missed: supervisor.MissedRunModeOnce,
			Grace: 24 * time.Hour})
	}
	// make sure that no user counts as away
	sqlitetest.ExecStatements(t, h.db, "UPDATE job SET options = json_set(options, '$.resumed', 4102444800000) WHERE kind = 'agent'")
	right := h.now
	h.now = right.AddDate(10, 0, 0)
	h.endTurn(t, h.passTime(t, 0)[0], sqlite.TurnEnding{Why: protocol.TurnEndDone})
	h.now = right
	for _, q := range []JobRequest{{Action: "pause", Job: "1"}, {Action: "resume", Job: "1"}} {
		if _, err := h.Answer(t.Context(), person("alice"), q); err != nil {
			t.Fatal(err)
		}
	}
	if next := h.job(t, 1).Next; next.Sub(h.now) > 24*time.Hour {
		t.Errorf("what was paused goes on at %v", next)
	}
	h.restart()
	if err := h.recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	if begun := h.passTime(t, 0); len(begun) != 1 {
		t.Errorf("%d turns that waited begin: %s", len(begun), h.states(t))
	}
}
