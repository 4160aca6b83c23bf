package app_test

import (
	"cmp"
	"fmt"
	"strconv"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/job"
	"mews/supervisor/routine"
	"mews/supervisor/schedule"
)

// commandsOf maps a routine to its command, if the two names differ.
var commandsOf = map[string]string{supervisor.RoutineFileChanges: "notifications"}

// All routines are on for a week in which nothing happens. Each runs its checks at its times, and
// no model is asked.
func TestRoutines_IdleWeek_AskNoModel(t *testing.T) {
	t.Parallel()
	m := &taskModel{}
	l := newTaskService(t, m, "")
	l.writeHomeFile("HEARTBEAT.md", "# What I look at\n\n- [x] done long ago\n<!-- - not this -->\n")
	for _, name := range routine.Names() {
		l.say("alice", "/"+cmp.Or(commandsOf[name], name)+" on")
		l.awaitLastTold("alice", job.RoutineTitles[name]+" is on.")
	}
	l.say("bob", "/remind in 300 days: tick")
	l.awaitLastTold("bob", "tick")
	asked := l.model.CountRequests()
	for day := range 7 {
		noon := time.Date(2025, 11, 21+day, 11, 10, 0, 0, time.UTC) // noon in Madrid, which is an hour ahead
		l.runUntil(noon)
		for _, name := range routine.Names() {
			l.runUntil(l.nextTime(name))
		}
	}
	for _, name := range routine.Names() {
		if n := l.QueryCount("SELECT count(*) FROM fire f JOIN job j ON j.id = f.job WHERE j.name = ? AND f.state IN ('said', 'silent')", name); n < 6 {
			t.Errorf("%s has looked %d times", name, n)
		}
	}
	if wrong := l.query("SELECT count(*) FROM fire WHERE state NOT IN ('said', 'silent', 'missed')"); wrong != "0" {
		t.Errorf("%s looks went wrong: %s", wrong, l.query("SELECT group_concat(state || ' ' || text) FROM fire WHERE state NOT IN ('said', 'silent', 'missed')"))
	}
	if n := l.model.CountRequests() - asked; n != 0 {
		t.Errorf("with nothing to do a model was asked %d times: %q", n, l.askedTexts())
	}
}

// nextTime returns the next due time of a routine of alice's.
func (l *aliceService) nextTime(name string) time.Time {
	l.T.Helper()
	at, err := strconv.ParseInt(l.query(fmt.Sprintf("SELECT next FROM job WHERE kind = 'routine' AND name = '%s'", name)), 10, 64)
	if err != nil {
		l.T.Fatal(err)
	}
	return time.UnixMilli(at)
}

// runUntil moves the clock forward to a time, and waits until everything due by then has ended.
func (l *aliceService) runUntil(at time.Time) {
	l.T.Helper()
	if at.Before(l.now()) {
		return
	}
	l.move(at.Sub(l.now()))
	edit := schedule.JobRequest{User: "bob", Action: "edit", Job: l.query("SELECT id FROM job WHERE user = 'bob'"), Words: "in 300 days"}
	// any edit of a job wakes the scheduler
	if err := control.CallOnce(l.T.Context(), l.Socket, schedule.MethodJob, edit, &schedule.JobReport{}); err != nil {
		l.T.Fatal(err)
	}
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "what is due to come to something", func() bool {
		return l.QueryCount("SELECT (SELECT count(*) FROM job WHERE next <= ?) + (SELECT count(*) FROM fire WHERE ended_at IS NULL)", at.UnixMilli()) == 0
	})
}
