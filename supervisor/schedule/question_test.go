package schedule

import (
	"strings"
	"testing"
)

// Each word that somebody types is taken or refused.
func TestNothingThatIsTypedIsPassedOver(t *testing.T) {
	h := newHarness(t)
	for _, c := range []struct {
		q    Question
		want string
	}{
		{Question{Action: "list", Job: "extra"}, `list takes no argument "extra"`},
		{Question{Action: "list", Words: "extra"}, `list takes no argument "extra"`},
		{Question{Job: "extra"}, `list takes no argument "extra"`},
		{Question{Action: "add", Job: "1", Words: "in 1 h: x"}, `add takes no argument "1"`},
		{Question{Action: "results", Job: "1", Words: "extra"}, `results takes no argument "extra"`},
		{Question{Action: "show"}, "show needs a JOB"},
		{Question{Action: "grow", Job: "1"}, `there is no "grow"`},
	} {
		if r, err := h.Answer(t.Context(), person("alice"), c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %q, %v; want %s", c.q, r.Said, err, c.want)
		}
	}
	h.remind(t, "alice", "in 1 h: x")
	for _, q := range []Question{{}, {Action: "list"}, {Action: "results"}, {Action: "results", Job: "1"}} {
		if _, err := h.Answer(t.Context(), person("alice"), q); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
