package hostcall_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/hostcall"
)

// echoParams are the parameters of echo, a call of a test's feature.
type echoParams struct {
	Turn int64  `json:"turn"`
	Text string `json:"text"`
}

// echoCall is a call that returns its text with the user and the turn.
func echoCall() feature.HostCall {
	return feature.HostCall{Method: "echo.say", Kinds: feature.OwnWorkerTurnKinds(), Bytes: 100, Limit: 2, Serial: true,
		HostCallHandler: feature.NewHostCallHandler(func(_ context.Context, t feature.Turn, p *echoParams) (*[]any,
			error) {
			switch p.Text {
			case "refuse":
				return nil, feature.NewRefusal("not %s", p.Text)
			case "offend":
				return nil, feature.WorkerOffence{Err: errors.New("no honest worker")}
			}
			return &[]any{p.Text, t.User, t.ID, t.Kind}, nil
		})}
}

func TestNewCallTable_UnsafeCall_IsRefused(t *testing.T) {
	for want, change := range map[string]func(*feature.HostCall){
		"":                 func(*feature.HostCall) {},
		"two of that":      func(c *feature.HostCall) { c.Method = protocol.MethodModelStream },
		"no limit":         func(c *feature.HostCall) { c.Limit = 0 },
		"no kind of turn":  func(c *feature.HostCall) { c.Kinds = nil },
		"name no turn":     func(c *feature.HostCall) { c.HostCallHandler = feature.HostCallHandler{} },
		"its parameters n": func(c *feature.HostCall) { c.HostCallHandler = feature.NewHostCallHandler(withoutTurn) },
	} {
		c := echoCall()
		change(&c)
		table, err := hostcall.NewCallTable(c)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if want == "" && !slices.Contains(table.Methods(), "echo.say") {
			t.Errorf("the methods are %q", table.Methods())
		}
	}
	if _, err := hostcall.NewCallTable(echoCall(), echoCall()); err == nil {
		t.Error("a call may be there twice")
	}
}

func withoutTurn(context.Context, feature.Turn, *struct{ Text string }) (*struct{}, error) {
	return nil, nil
}

func TestFeatureCall_RuleBroken_EndsWorker(t *testing.T) {
	for name, c := range map[string]struct {
		texts []string
		turn  int64
		want  string // part of the error that the last call returns
		ended bool
	}{
		"allowed":          {texts: []string{"hi", "hi"}},
		"refused":          {texts: []string{"refuse"}, want: "not refuse"},
		"an offence":       {texts: []string{"offend"}, want: "no honest worker", ended: true},
		"over its limit":   {texts: []string{"hi", "hi", "hi"}, want: "more than 2 times", ended: true},
		"over its bytes":   {texts: []string{strings.Repeat("x", 100)}, want: "at most 100", ended: true},
		"of another turn":  {texts: []string{"hi"}, turn: 99, want: "not a turn of this worker's", ended: true},
		"one of no worker": {texts: []string{"hi"}, turn: -1, want: "not a turn of this worker's", ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "fine"}))
			var err error
			if r.options.Table, err = hostcall.NewCallTable(echoCall()); err != nil {
				t.Fatal(err)
			}
			if c.turn == 0 {
				c.turn = r.open.Turn.ID
			}
			var got any
			for _, text := range c.texts {
				got, err = r.call("echo.say", echoParams{Turn: c.turn, Text: text})
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) ||
				(r.peer.ended != nil) != c.ended {
				t.Errorf("got %v, %v; ended for %v", got, err, r.peer.ended)
			}
			want := []any{"hi", "ann", r.open.Turn.ID, supervisor.TurnChat}
			if list, ok := got.([]any); err == nil && (!ok || !slices.Equal(list, want)) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
