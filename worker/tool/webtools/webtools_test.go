package webtools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
	"mews/worker/tool/webtools"
)

// fakeConn counts the calls, and answers each.
type fakeConn struct {
	called string // method and parameters of the newest call
	calls  int
	err    error
}

func (c *fakeConn) Call(_ context.Context, method string, params, result any) error {
	text, err := json.Marshal(params)
	c.called, c.calls = method+" "+string(text), c.calls+1
	return errors.Join(err, c.err, protocol.DecodeStrict([]byte(`{"text":"found"}`), result))
}

func (c *fakeConn) Notify(context.Context, string, any) error { return nil }

// The worker passes on no argument: the supervisor has the model's own.
func TestTools_Calls_NameOnlyTheCall(t *testing.T) {
	c := &fakeConn{}
	for _, tool := range webtools.Tools(host.New(c).Turn(8)) {
		arguments, want := `{"query":"tea","count":3,"fresh":"day"}`, `web.search {"turn":8,"call":"c1"}`
		if tool.Name == "get_weather" {
			arguments, want = `{"place":"Madrid","days":2}`, `web.weather {"turn":8,"call":"c1"}`
		}
		result, err := tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(arguments)})
		if err != nil || c.called != want || result.Text != "found" || !result.World {
			t.Errorf("%s: called %s, got %+v, %v", tool.Name, c.called, result, err)
		}
		if tool.Family != "web" || tool.Effect != protocol.EffectIdempotent {
			t.Errorf("%s: %+v", tool.Name, tool.Tool)
		}
		_, err = tool.Run(t.Context(), worker.Call{ID: "c1", Arguments: json.RawMessage(`{"url":"x"}`)})
		if err == nil || c.called != want {
			t.Errorf("%s took a wrong argument: %v", tool.Name, err)
		}
	}
}

func TestTools_Refusal_IsInPlainWords(t *testing.T) {
	c := &fakeConn{err: &protocol.Error{Code: protocol.CodeFailed, Message: "Not today."}}
	for _, tool := range webtools.Tools(host.New(c).Turn(8)) {
		_, err := tool.Run(t.Context(), worker.Call{Arguments: json.RawMessage(`{}`)})
		if err == nil || err.Error() != "Not today." {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
}

// The supervisor ends a worker that exceeds the limit of calls.
func TestTools_LimitReached_IsNotPassedOn(t *testing.T) {
	c := &fakeConn{}
	tool := webtools.Tools(host.New(c).Turn(8))[0]
	for range protocol.MaxWebCalls {
		if _, err := tool.Run(t.Context(), worker.Call{Arguments: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := tool.Run(t.Context(), worker.Call{Arguments: json.RawMessage(`{}`)})
	if err == nil || !strings.Contains(err.Error(), "no more can be") || c.calls != protocol.MaxWebCalls {
		t.Errorf("%d calls, %v", c.calls, err)
	}
}
