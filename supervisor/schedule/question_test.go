package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
)

// No field of a request is ignored: the action uses it or refuses it.
func TestJobRequest_UnusedArgument_IsRefused(t *testing.T) {
	h := newHarness(t)
	for _, c := range []struct {
		q    JobRequest
		want string
	}{
		{JobRequest{Action: "list", Job: "extra"}, `list takes no argument "extra"`},
		{JobRequest{Action: "list", Words: "extra"}, `list takes no argument "extra"`},
		{JobRequest{Job: "extra"}, `list takes no argument "extra"`},
		{JobRequest{Action: "add", Job: "1", Words: "in 1 h: x"}, `add takes no argument "1"`},
		{JobRequest{Action: "results", Job: "1", Words: "extra"}, `results takes no argument "extra"`},
		{JobRequest{Action: "show"}, "show needs a JOB"},
		{JobRequest{Action: "grow", Job: "1"}, `there is no "grow"`},
	} {
		if r, err := h.Answer(t.Context(), person("alice"), c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %q, %v; want %s", c.q, r.Said, err, c.want)
		}
	}
	h.remind(t, "alice", "in 1 h: x")
	for _, q := range []JobRequest{{}, {Action: "list"}, {Action: "results"}, {Action: "results", Job: "1"}} {
		if _, err := h.Answer(t.Context(), person("alice"), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// A job's name can't be a number, because a number always means the job with that id.
func TestJobName_Number_IsRefused(t *testing.T) {
	h := newHarness(t)
	id := h.putTask(t, "daily at 9", supervisor.JobOptions{})
	for name, ok := range map[string]bool{"1": false, " 1 ": false, "-1": false, "+1": false, "99999999999999999999": false, "1st": true, "2 3": true, "": true} {
		_, err := h.Answer(t.Context(), person("alice"), JobRequest{Action: "add", Task: true, Name: name, Words: "daily at 10: deploy"})
		_, err2 := h.callTool(t, chatOf("alice"), "schedule_task", fmt.Sprintf(`{"when":"daily at 14:00","text":"deploy","kind":"task","name":%q}`, name))
		_, err3 := h.callTool(t, chatOf("alice"), "update_task", fmt.Sprintf(`{"id":%d,"name":%q}`, id, name))
		for _, err := range []error{err, err2, err3} {
			if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "the number of a task") {
				t.Errorf("name %q: %v", name, err)
			}
		}
	}
}

// Results are shown in the time zone of their user, as jobs are.
func TestJobResults_Times_AreInUsersZone(t *testing.T) {
	h := newHarness(t)
	h.remind(t, "alice", "in 20 min: tea")
	h.passTime(t, 20*time.Minute)
	r, err := h.Answer(t.Context(), person("alice"), JobRequest{Action: "results"})
	if err != nil || !strings.Contains(r.Text(), "Fri 27 Mar 13:20") {
		t.Errorf("%q, %v", r.Text(), err)
	}
}
