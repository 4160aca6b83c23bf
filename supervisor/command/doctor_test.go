package command

import (
	"context"
	"errors"
	"testing"

	"mews/supervisor/feature"
)

func TestDoctor_Findings_ListProblems(t *testing.T) {
	for report, want := range map[string]string{
		`[{"mark":"ok"},{"mark":"ok"}]`: "No problem found in 2 examinations.",
		`[{"name":"a","mark":"ok","text":""},{"name":"clock","mark":"BAD","text":"wrong"},
			{"name":"memory","mark":"WARN","text":"low"}]`: "```\nBAD clock: wrong\nWARN memory: low\n```\n1 other examinations found no problem.",
	} {
		c := &Commands{o: Options{Doctor: func(context.Context) (string, error) { return report, nil }}}
		if got, err := doctorText(t.Context(), c, feature.CommandRequest{}); err != nil || got != want {
			t.Errorf("%s: %q, %v", report, got, err)
		}
	}
	c := &Commands{o: Options{Doctor: func(context.Context) (string, error) { return "", errors.New("gone") }}}
	if _, err := doctorText(t.Context(), c, feature.CommandRequest{}); err == nil {
		t.Error("a doctor that does not run is no error")
	}
}
