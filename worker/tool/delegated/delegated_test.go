package delegated_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/tool/delegated"
)

// fakeConn records the newest call, and answers it.
type fakeConn struct {
	called string // method and parameters of the newest call
	answer string
	err    error
}

func (c *fakeConn) Call(_ context.Context, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.called = method + " " + string(text)
	return errors.Join(c.err, protocol.DecodeStrict([]byte(c.answer), result))
}

func (c *fakeConn) Notify(context.Context, string, any) error { return nil }

// call calls one of the tools of turn 8, as call c1.
func (c *fakeConn) call(t *testing.T, name, arguments string) (worker.Result, error) {
	t.Helper()
	for _, tool := range delegated.Tools(host.New(c).Turn(8), protocol.TurnStart{Kind: "chat"}) {
		if tool.Name == name {
			return tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments)})
		}
	}
	t.Fatalf("there is no %s", name)
	return worker.Result{}, nil
}

var passedOn = []struct{ tool, arguments, called, answer string }{
	{
		"read_activity_log",
		`{"time":"7d","kind":"sent"}`,
		`activity.read {"turn":8,"time":"7d","kind":"sent"}`,
		`{"text":"yes","world":true}`,
	},
	{
		"ask_user",
		`{"question":"why?","kind":"text"}`,
		`question.ask {"turn":8,"call":"c1"}`,
		`{"text":"yes","world":true}`,
	},
	{"find_tools", `{"words":"x"}`, `tools.find {"turn":8,"call":"c1"}`, `{"text":"yes","opened":["terminal"]}`},
	{"search_history", `{"words":"x"}`, `history.search {"turn":8,"call":"c1"}`, `{"text":"yes","world":true}`},
	{"search_home", `{"words":"x"}`, `home.search {"turn":8,"call":"c1"}`, `{"text":"yes","world":true}`},
	{"list_tasks", `{}`, `job.call {"turn":8,"call":"c1"}`, `{"text":"yes","world":true}`},
}

func TestTools_Calls_ArePassedOn(t *testing.T) {
	for _, test := range passedOn {
		c := &fakeConn{answer: test.answer}
		result, err := c.call(t, test.tool, test.arguments)
		if err != nil || c.called != test.called || result.Text != "yes" ||
			result.World != strings.Contains(test.answer, "world") {
			t.Errorf("%s: called %s, got %+v, %v", test.tool, c.called, result, err)
		}
		if opened := strings.Join(result.Tools, " "); (opened == "terminal") != (test.tool == "find_tools") {
			t.Errorf("%s has opened %q", test.tool, opened)
		}
	}
}

func TestTools_Refusals_AreInPlainWords(t *testing.T) {
	for _, test := range passedOn {
		c := &fakeConn{answer: `{}`, err: &protocol.Error{Code: protocol.CodeFailed, Message: "Not today."}}
		if _, err := c.call(t, test.tool, test.arguments); err == nil || err.Error() != "Not today." {
			t.Errorf("%s: %v", test.tool, err)
		}
		c.err = &protocol.Error{Code: protocol.CodeWaitsForUser, Message: "asked"}
		_, err := c.call(t, test.tool, test.arguments)
		if waits := new(protocol.Error); !errors.As(err, &waits) || waits.Code != protocol.CodeWaitsForUser {
			t.Errorf("%s does not wait for the person: %v", test.tool, err)
		}
	}
}

func TestTools_LimitReached_IsNotPassedOn(t *testing.T) {
	c := &fakeConn{answer: `{}`}
	tools := delegated.Tools(host.New(c).Turn(8), protocol.TurnStart{Kind: "chat"})
	limits := map[string]int{"read_activity_log": protocol.MaxActivityReads, "find_tools": protocol.MaxToolsFindCalls,
		"search_history": protocol.MaxSearches, "search_home": protocol.MaxSearches, "cancel_task": protocol.MaxJobCalls}
	for _, tool := range tools {
		for n := range limits[tool.Name] {
			if _, err := tool.Run(t.Context(), worker.Call{Arguments: []byte(`{}`)}); err != nil {
				t.Fatalf("call %d of %s: %v", n, tool.Name, err)
			}
		}
	}
	for _, tool := range tools {
		if c.called = ""; limits[tool.Name] == 0 {
			continue
		}
		_, err := tool.Run(t.Context(), worker.Call{Arguments: []byte(`{}`)})
		if err == nil || !strings.Contains(err.Error(), "times in this turn, and no more can be") || c.called != "" {
			t.Errorf("%s: %v, called %q", tool.Name, err, c.called)
		}
	}
}
