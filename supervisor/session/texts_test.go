package session

import (
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
)

func TestFinalText_SaysHowTheTurnEnded(t *testing.T) {
	limits := protocol.TurnLimits{Steps: 50, Seconds: 900}
	down := &supervisor.Error{Code: supervisor.CodeModelFailed, Message: "The model is down. Try later.",
		Err: errors.New("secret 503")}
	for name, c := range map[string]struct {
		o    outcome
		said string
		want []string // texts that must appear, in this order
		not  string
	}{
		"done":           {o: outcome{why: protocol.TurnEndDone}, said: "Hello.", want: []string{"Hello."}, not: "("},
		"done, wordless": {o: outcome{why: protocol.TurnEndDone}, want: []string{"nothing to say"}},
		"done by another": {o: outcome{why: protocol.TurnEndDone, end: AttemptEnd{AnsweredBy: "b/two",
			Replaced: &modelcall.ReplacedModel{Spec: "a/one", Reason: "is overloaded"}}}, said: "Hello.",
			want: []string{"Hello.\n\n(Answered by b/two: a/one is overloaded.)"}},
		"stopped": {o: outcome{why: protocol.TurnEndStopped}, said: "Hel", want: []string{"Hel\n\n",
			"Stopped, as you asked"}},
		"stopped at once": {o: outcome{why: protocol.TurnEndStopped}, want: []string{"(Stopped"}, not: "\n"},
		"out of steps": {o: outcome{why: protocol.TurnEndStepLimit}, said: "Hel", want: []string{"Hel\n\n",
			"50 steps"}},
		"out of time": {o: outcome{why: protocol.TurnEndTimeLimit}, said: "Hel", want: []string{"Hel\n\n",
			"15 minutes"}},
		"in a circle": {o: outcome{why: protocol.TurnEndRepetition}, said: "Hel", want: []string{"Hel\n\n",
			"three times"}},
		"the model fails": {o: outcome{why: protocol.TurnEndError, end: AttemptEnd{Failure: down}}, said: "Hel",
			want: []string{"Hel\n\n", "The model is down. Try later."}, not: "secret"},
		"the model declines": {o: outcome{why: protocol.TurnEndRefused, end: AttemptEnd{Failure: down}}, said: "Hel",
			want: []string{"Hel\n\n", "The model is down", "from our conversation"}, not: "secret"},
		"nobody knows why": {o: outcome{why: protocol.TurnEndError}, want: []string{"mews doctor"}},
		"parked": {o: outcome{why: protocol.TurnEndError, state: supervisor.InboundParked}, said: "Hel",
			want: []string{"Hel\n\n", "crashed in each of 3 attempts", "I do not try it again by myself"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := finalText(c.o, c.said, limits)
			rest := got
			for _, w := range c.want {
				at := strings.Index(rest, w)
				if at < 0 {
					t.Fatalf("%q does not say %q", got, w)
				}
				rest = rest[at:]
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q says %q", got, c.not)
			}
		})
	}
}

func TestTurnEnd_ImpossibleReason_IsRefused(t *testing.T) {
	for _, c := range []struct {
		why     protocol.TurnEndReason
		stopped bool
		ok      bool
	}{
		{protocol.TurnEndDone, false, true},
		{protocol.TurnEndDone, true, true},
		{protocol.TurnEndError, false, true},
		{protocol.TurnEndRefused, false, false},
		{protocol.TurnEndStopped, true, true},
		{protocol.TurnEndStopped, false, false},
		{"", false, false},
		{"banana", true, false},
	} {
		if err := checkWhy(c.why, c.stopped); (err == nil) != c.ok {
			t.Errorf("%q, asked to stop: %v: %v", c.why, c.stopped, err)
		}
	}
}

// TestFinalText_LimitOfOne_UsesSingular checks that texts use the singular for a limit of one.
func TestFinalText_LimitOfOne_UsesSingular(t *testing.T) {
	limits := protocol.TurnLimits{Steps: 1, Seconds: 90}
	for why, want := range map[protocol.TurnEndReason]string{protocol.TurnEndStepLimit: "after 1 step,",
		protocol.TurnEndTimeLimit: "after 1 minute and 30 seconds,"} {
		if got := finalText(outcome{why: why}, "", limits); !strings.Contains(got, want) {
			t.Errorf("%s: %q", why, got)
		}
	}
}
