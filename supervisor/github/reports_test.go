package github_test

import (
	"context"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/github"
)

func TestAwaitReport_OtherTurn_GetsNoReport(t *testing.T) {
	g := new(github.GitHub)
	var verdicts []string
	end := g.ReportReceiver.AwaitReport(1, func(_ context.Context, r protocol.ReviewReport) error {
		verdicts = append(verdicts, r.Verdict)
		return nil
	})
	report := func(id int64) error {
		turn := featuretest.NewTurn("ann")
		turn.ID, turn.Kind = id, supervisor.TurnReview
		params := `{"turn":1,"verdict":"It crashes."}`
		_, err := featuretest.MakeHostCall(t, g.Feature(), turn, protocol.MethodReviewReport, params)
		return err
	}
	if err := report(1); err != nil {
		t.Error(err)
	}
	if err := report(2); err == nil || featuretest.IsOffence(err) {
		t.Errorf("another turn's report ended with %v", err)
	}
	end()
	if err := report(1); err == nil || len(verdicts) != 1 || verdicts[0] != "It crashes." {
		t.Errorf("after the end %v; taken were %q", err, verdicts)
	}
}
