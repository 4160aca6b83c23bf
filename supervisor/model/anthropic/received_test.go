package anthropic

import (
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// TestWhatComesIsHeard also what is not said: thoughts and calls; and first of all that the request goes out.
func TestWhatComesIsHeard(t *testing.T) {
	whole := streamOf(piece(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", "12345")+text("12")+
		call("read_file", `{"path":"a"}`), "tool_use")
	before, _, found := strings.Cut(whole, `data: {"type":"message_delta"`)
	if !found {
		t.Fatal("the stream has no message_delta")
	}
	sum, first := 0, -1
	var counted protocol.Usage
	req := hi()
	req.OnReceive = func(n int, u protocol.Usage) {
		if sum, counted = sum+n, u; first < 0 {
			first = n
		}
	}
	_, _, err := ask(open(t, Options{BaseURL: serve(t, sends(before))}), req)
	failed := new(supervisor.ModelError)
	if !errors.As(err, &failed) || failed.Free {
		t.Fatalf("half an answer: %v", err)
	}
	if least := len(`12345`) + len(`12`) + len(`{"path":"a"}`); sum < least || sum > 40*least || first != 0 || counted != failed.Usage || counted.Input == 0 {
		t.Errorf("heard %d bytes, at first %d; %+v, and it told %+v", sum, first, counted, failed.Usage)
	}
	first = -1
	if _, _, err := ask(open(t, Options{BaseURL: "http://127.0.0.1:1"}), req); err == nil || first != -1 {
		t.Error("it was heard of a request that was never sent")
	}
}

func TestARequestHoldsToTheOutputThatIsPaidFor(t *testing.T) {
	req := hi()
	req.Output, req.Thinking, req.Model = 3000, supervisor.ThinkingHigh, "claude-opus-4-5"
	if got := sent(t, req, Options{}); !strings.Contains(got, `"max_tokens":3000`) || !strings.Contains(got, `"budget_tokens":1976`) {
		t.Errorf("sent %s", got)
	}
}
