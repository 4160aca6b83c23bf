package schedule

import (
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite/sqlitetest"
)

// If a user is away for long, only their jobs that ask a model pause. The SQL agrees with
// supervisor.Job.MayStartTurn.
func TestAwayUser_ModelJobs_Pause(t *testing.T) {
	h := newHarness(t)
	jobs := []supervisor.Job{
		{Kind: supervisor.JobReminder}, {Kind: supervisor.JobTask},
		{Kind: supervisor.JobCheck, Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Files: "x"}}},
		{Kind: supervisor.JobCheck,
			Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Files: "x", Ask: "Is it?"}}},
		{Kind: supervisor.JobCheck,
			Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Command: "x", Task: true}}},
		{Kind: supervisor.JobRoutine, Name: supervisor.RoutineHeartbeat}, {Kind: supervisor.JobRoutine, Name: supervisor.RoutineDigest},
		{Kind: supervisor.JobRoutine, Name: supervisor.RoutineDigest, Options: supervisor.JobOptions{ByModel: true}},
	}
	h.now = noon.Add(-60 * 24 * time.Hour)
	for i, j := range jobs {
		j.User, j.Text, j.Conversation, j.MadeBy = "alice", "x", chatOf("alice"), fmt.Sprint("away/", i)
		if _, err := h.put(t.Context(), j, "in 100 days"); err != nil {
			t.Fatal(err)
		}
	}
	h.putTask(t, "in 60 days", supervisor.JobOptions{Exact: true})
	h.passTime(t, 60*24*time.Hour)
	rows := sqlitetest.QueryColumn(t, h.db, "SELECT state FROM job ORDER BY id")
	for i, j := range jobs {
		if rests := rows[i] == "paused"; rests != j.MayStartTurn() {
			t.Errorf("%+v is %s, and asks a model: %t", j, rows[i], j.MayStartTurn())
		}
	}
}

// The notice that tasks are paused is sent once, in the private chat, after quiet hours. It is sent
// once for any number of tasks in any conversations.
func TestAwayUser_Notice_IsPrivate(t *testing.T) {
	h := newHarness(t)
	club, _ := putGroups(t, h)
	h.setQuietHours(t, "11:00-20:00")
	if _, err := h.callTool(t, club, "schedule_task", `{"when":"daily at 14:00","text":"look","kind":"task"}`); err != nil {
		t.Fatal(err)
	}
	h.putTask(t, "daily at 14:00", supervisor.JobOptions{})
	sqlitetest.ExecStatements(t, h.db, fmt.Sprintf("UPDATE job SET created_at = %d",
		h.now.Add(-31*24*time.Hour).UnixMilli()))
	h.passTime(t, time.Hour)
	if private, others := h.saidTo(t, chatOf("alice")), h.saidTo(t, club); len(private) > 0 || len(others) > 1 || h.jobState(t, 1) != "paused" {
		t.Errorf("in quiet hours alice is told %q, the group %q, and the task is %s", private, others, h.jobState(t, 1))
	}
	h.passAndRelease(t, 8*time.Hour)
	h.wantSaid(t, job.PausedWhileAwayText(2))
}

// A hook starts no model for a user who is away. Instead the user is told that the task is paused.
// The user can still run the task by hand.
func TestTrigger_AwayUser_AsksNoModel(t *testing.T) {
	h := newHarness(t)
	id := h.putTask(t, "in 900 days", supervisor.JobOptions{Exact: true})
	h.now = h.now.Add(100 * 24 * time.Hour)
	j := h.job(t, id)
	if _, err := h.RunNow(t.Context(), j, h.now); err != nil {
		t.Fatal(err)
	}
	if begun := h.passTime(t, 0); len(begun) != 1 {
		t.Errorf("by hand %d begin", len(begun))
	}
	for i := range 2 {
		err := h.Trigger(t.Context(), "alice", "Look", h.now.Add(time.Duration(i+1)*time.Second), "{}")
		if begun := h.passTime(t, time.Minute); len(begun) > 0 || (err != nil) != (i > 0) {
			t.Errorf("call %d: %d begin, %v", i, len(begun), err)
		}
	}
	h.wantSaid(t, job.PausedWhileAwayText(1))
	if h.queued != 1 {
		t.Errorf("%d were queued", h.queued)
	}
}

// If a user is away, their older jobs are paused. A new job, such as a job set in a shell, is not
// paused.
func TestAwayUser_NewJob_StaysActive(t *testing.T) {
	h := newHarness(t)
	h.putTask(t, "every 40 days", supervisor.JobOptions{Exact: true})
	h.now = h.now.Add(39 * 24 * time.Hour)
	h.putTask(t, "in 30 days", supervisor.JobOptions{Exact: true})
	h.passTime(t, 24*time.Hour)
	if was, is := h.jobState(t, 1), h.jobState(t, 2); was != "paused" || is != "active" {
		t.Errorf("the old one is %s, the new one %s", was, is)
	}
	h.wantSaid(t, job.PausedWhileAwayText(1))
}
