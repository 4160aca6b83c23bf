package forget_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/forget"
	"mews/supervisor/spans"
	"mews/supervisor/sqlite"
)

// countRecorder records the request that was last counted.
type countRecorder struct {
	sqlite.ForgetRequestStore
	last *supervisor.ForgetRequest
}

func (w countRecorder) CountMatches(_ context.Context, f supervisor.ForgetRequest) (n supervisor.ForgetCounts,
	err error) {
	*w.last = f
	return n, nil
}

func (w countRecorder) WalkForgottenTurns(context.Context, supervisor.ForgetRequest,
	func(protocol.TurnDataQuery) error) error {
	return nil
}

// The span of /forget must have a beginning. It ends at the latest when the command was sent.
func TestForget_InvalidSpan_IsRefused(t *testing.T) {
	asked := supervisor.ForgetRequest{}
	f := forget.New(forget.Options{Store: countRecorder{last: &asked}, Turns: countRecorder{last: &asked}}).Feature()
	answer := func(text string) supervisor.Delivery {
		return featuretest.RunCommand(t, f, supervisor.Inbound{Conversation: supervisor.Conversation{User: "ann"},
			Kind: supervisor.KindCommand,
			Text: "/forget " + text, ReceivedAt: time.Now()})
	}
	for text, want := range map[string]string{"2020-01": "744h0m0s", "2020-01..2020-01-07": "168h0m0s",
		"last hour":              "1h0m0s",
		"0001-01-01..0001-01-07": "168h0m0s", "..": "", "..2020": "", "2999": "", "soon": ""} {
		asked = supervisor.ForgetRequest{}
		d := answer(text)
		if want == "" && (!asked.Until.IsZero() || !strings.Contains(d.Text, spans.HelpText)) {
			t.Errorf("%q: told %q, counted %+v", text, d.Text, asked)
		}
		if got := asked.Until.Sub(asked.Since).String(); want != "" && got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	answer("2020-01..")
	if age := time.Since(asked.Until); age < 0 || asked.Since.IsZero() || age > time.Since(asked.Since)/2 {
		t.Errorf("open at its end it is %s to %s", asked.Since, asked.Until)
	}
}
