package schedule

import (
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// For whoever has been away for long, those jobs rest that ask a model, and no others: the rows are read as supervisor.Job.AsksModel has it.
func TestWhatRestsWhileAPersonIsAway(t *testing.T) {
	h := newHarness(t)
	jobs := []supervisor.Job{
		{Kind: supervisor.JobReminder}, {Kind: supervisor.JobAgent},
		{Kind: supervisor.JobCheck, Options: supervisor.JobOptions{Look: supervisor.Look{Files: "x"}}},
		{Kind: supervisor.JobCheck, Options: supervisor.JobOptions{Look: supervisor.Look{Files: "x", Ask: "Is it?"}}},
		{Kind: supervisor.JobCheck, Options: supervisor.JobOptions{Look: supervisor.Look{Command: "x", Task: true}}},
		{Kind: supervisor.JobRoutine, Name: supervisor.RoutineHeartbeat}, {Kind: supervisor.JobRoutine, Name: supervisor.RoutineDigest},
		{Kind: supervisor.JobRoutine, Name: supervisor.RoutineDigest, Options: supervisor.JobOptions{Written: true}},
	}
	h.now = noon.Add(-60 * 24 * time.Hour)
	for i, j := range jobs {
		j.User, j.Text, j.Conversation, j.MadeBy = "alice", "x", chatOf("alice"), fmt.Sprint("away/", i)
		if _, err := h.put(t.Context(), j, "in 100 days", h.now, nil); err != nil {
			t.Fatal(err)
		}
	}
	h.task(t, "in 60 days", supervisor.JobOptions{Exact: true})
	h.passes(t, 60*24*time.Hour)
	rows := sqlitetest.Look(t, h.db, "SELECT state FROM job ORDER BY id")
	for i, j := range jobs {
		if rests := rows[i] == "paused"; rests != j.AsksModel() {
			t.Errorf("%+v is %s, and asks a model: %t", j, rows[i], j.AsksModel())
		}
	}
}
