package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/schedule"
)

// stopFor suspends the supervisor's process, moves its clock, and resumes it.
func (c *clockedService) stopFor(d time.Duration) {
	c.T.Helper()
	pid := c.ProcessIDs("mews")[0]
	signal := func(s syscall.Signal, state string) {
		if err := syscall.Kill(pid, s); err != nil {
			c.T.Fatal(err)
		}
		c.WaitUntilTrue(apptest.DefaultTestTimeout, "the supervisor's process to be "+state, func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				c.T.Fatal(err)
			}
			_, after, _ := strings.Cut(string(stat), ") ")
			return strings.HasPrefix(after, "T") == (s == syscall.SIGSTOP)
		})
	}
	signal(syscall.SIGSTOP, "stopped")
	c.move(d)
	signal(syscall.SIGCONT, "going on")
	c.say("bob", "/remind in 300 days: tick")
}

// The supervisor's process is suspended for ten minutes. Jobs that were due meanwhile run late.
// Each late reminder says when it was due, and several reminders for one chat come in one message.
// Each task runs once, half a minute after the task before it.
func TestSupervisor_Paused10Minutes_CatchesUp(t *testing.T) {
	t.Parallel()
	task := regexp.MustCompile(`plant \d`)
	c := newClockedService(newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		say, err := json.Marshal(map[string]string{"say": "I have watered " + task.FindString(r.NewestUserMessage())})
		if err != nil {
			t.Error(err)
		}
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "job_result", Args: string(say)}}}
	}, "", "alice, role: admin, totp: 'off'", "bob, totp: 'off'", "carol, totp: 'off'"))
	c.Start()
	for i := range 5 {
		c.sayAndAwait("alice", fmt.Sprintf("/remind in %d min: cup %d", 3+i, i), "Reminder ")
	}
	for i := range 2 {
		c.sayAndAwait("bob", fmt.Sprintf("/remind in %d min: pot %d", 4+i, i), "Reminder ")
	}
	c.sayAndAwait("carol", "/jobs", "You have no reminders")
	for i := range 3 {
		c.move(time.Millisecond) // messages are told apart by their times
		add := schedule.JobRequest{User: "carol", Action: "add", Task: true, Words: fmt.Sprintf("in %d min: water plant %d", 5+i, i)}
		if err := control.CallOnce(t.Context(), c.Socket, schedule.MethodJob, add, &schedule.JobReport{}); err != nil {
			t.Fatal(err)
		}
	}

	c.stopFor(10 * time.Minute)
	c.awaitToldTimes("alice", 1, "These reminders were due")
	for i := range 5 {
		c.awaitToldTimes("alice", 1, fmt.Sprintf("ago: cup %d\n", i))
	}
	for i := range 2 {
		c.awaitToldTimes("bob", 1, fmt.Sprintf("Reminder: pot %d\n\nIt was due at ", i))
	}
	for i := range 3 {
		c.awaitToldTimes("carol", 1, fmt.Sprintf("I have watered plant %d", i))
		if waits := c.query("SELECT coalesce(group_concat(begin_at - (SELECT max(fired_at) FROM fire), ' '), '') FROM (SELECT * FROM fire WHERE state = 'claimed' ORDER BY due)"); waits != []string{"30000 60000", "60000", ""}[i] {
			t.Fatalf("after %d tasks the others wait for %q", i+1, waits)
		}
		if i < 2 {
			c.stopFor(30 * time.Second)
		}
	}
	c.WaitUntilTrue(apptest.DefaultTestTimeout, "the last to be done",
		func() bool { return c.query("SELECT count(*) FROM fire WHERE ended_at IS NULL") == "0" })
	if got := c.query("SELECT group_concat(n || state, ' ') FROM (SELECT count(*) AS n, state FROM fire GROUP BY state)"); got != "10said" {
		t.Errorf("the fires are %q", got)
	}
	c.Stop()
}

// awaitToldTimes waits until a user has got these words as often as given. It fails if they come
// more often.
func (c *clockedService) awaitToldTimes(name string, times int, words string) {
	c.T.Helper()
	count := func() int { return strings.Count(strings.Join(c.told(name), "\n")+"\n", words) }
	c.WaitUntilTrue(apptest.DefaultTestTimeout, name+" to be told "+words, func() bool { return count() >= times })
	if n := count(); n != times {
		c.T.Errorf("%s was told %d times %q: %q", name, n, words, c.told(name))
	}
}
