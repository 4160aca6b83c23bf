// Package featuretest runs the commands and host calls of a feature without a service.
package featuretest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
	"mews/supervisor/slash"
)

// RunCommand runs a command, or the command of a pressed button, and returns the answer. An error
// is an answer, too.
func RunCommand(t testing.TB, f feature.Feature, in supervisor.Inbound) supervisor.Delivery {
	t.Helper()
	r := feature.CommandRequest{Conversation: in.Conversation, User: supervisor.User{Name: in.Conversation.User},
		Inbound: in.ID, At: in.ReceivedAt, Arguments: slash.ParseArguments(in.Text), Unblock: func() {}, Allow: allow}
	r.Name, _ = slash.Parse(in.Text)
	for _, c := range f.Commands {
		run, fits := c.Run, c.Name == r.Name || c.Alias != "" && c.Alias == r.Name
		if in.Kind == supervisor.KindPress {
			r.Arguments, fits = strings.CutPrefix(in.Text, c.Prefix)
			if fits = fits && c.Prefix != ""; c.Press != nil {
				run = c.Press
			}
		}
		if !fits {
			continue
		}
		d, err := run(t.Context(), r)
		if err != nil {
			d.Text = problem.UserText(err)
		}
		return d
	}
	t.Fatalf("%s has no command for %q", f.Name, in.Text)
	return supervisor.Delivery{}
}

func allow(context.Context, string, string, ...string) error { return nil }

// NewTurn returns a turn in which a worker makes host calls. calls are the model's tool calls.
func NewTurn(user string, calls ...protocol.ToolCall) feature.Turn {
	return feature.Turn{User: user, ID: 1, Destination: 1, Kind: supervisor.TurnChat, Kept: new(sync.Map),
		Commit: func(_ context.Context, do func() error) error { return do() },
		Committed: func(id string) (call protocol.ToolCall, ok bool) {
			if i := slices.IndexFunc(calls, func(c protocol.ToolCall) bool { return c.ID == id }); i >= 0 {
				return calls[i], true
			}
			return call, false
		}}
}

// MakeHostCall makes a host call with parameters as JSON, and returns its result.
func MakeHostCall(t testing.TB, f feature.Feature, turn feature.Turn, method, params string) (any, error) {
	t.Helper()
	for _, c := range f.HostCalls {
		if c.Method == method {
			p := c.NewParams()
			if err := protocol.DecodeStrict([]byte(params), p); err != nil {
				t.Fatal(err)
			}
			return c.Answer(t.Context(), turn, p)
		}
	}
	t.Fatalf("%s has no host call %s", f.Name, method)
	return nil, nil
}

// CheckHostCallExamples checks the examples of a feature's host calls. The examples are in the
// comments of package protocol. root is the module's folder.
func CheckHostCallExamples(t *testing.T, f feature.Feature, root string) {
	t.Helper()
	examples := protocoltest.ReadMethodConstants(t, root+"/protocol")
	for _, c := range f.HostCalls {
		example, said := examples[c.Method], []any{c.NewParams(), c.NewResult()}
		if len(example) == 0 {
			continue // the transcript of package protocol has this example
		}
		if len(said) != len(example) {
			t.Errorf("the example of %s has %d lines, want %d", c.Method, len(example), len(said))
			continue
		}
		for i, v := range said {
			if err := protocol.DecodeStrict([]byte(example[i]), v); err != nil {
				t.Errorf("%s: %s: %v", c.Method, example[i], err)
			}
			if again, err := json.Marshal(v); err != nil || string(again) != example[i] {
				t.Errorf("%s: %s became %s (%v)", c.Method, example[i], again, err)
			}
		}
	}
}

// IsOffence reports whether an error ends the worker.
func IsOffence(err error) bool { return errors.As(err, new(feature.WorkerOffence)) }
