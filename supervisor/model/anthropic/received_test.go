package anthropic

import (
	"errors"
	"strings"
	"testing"

	"mews/supervisor/modelcall"
)

// TestReceivedBytes_IncludeThinkingAndCalls also checks that the request is reported as sent.
func TestReceivedBytes_IncludeThinkingAndCalls(t *testing.T) {
	whole := streamOf(piece(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", "12345")+text("12")+
		call("read_file", `{"path":"a"}`), "tool_use")
	before, _, found := strings.Cut(whole, `data: {"type":"message_delta"`)
	if !found {
		t.Fatal("the stream has no message_delta")
	}
	got, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(before))}), hi())
	failed := new(modelcall.Error)
	if !errors.As(err, &failed) || failed.Free {
		t.Fatalf("half an answer: %v", err)
	}
	if least := int64(len(`12345`) + len(`12`) + len(`{"path":"a"}`)); got.Received < least || got.Received > 40*least || !got.Sent ||
		got.Usage != failed.Usage || got.Usage.Input == 0 {
		t.Errorf("heard of %+v, and it told %+v", got, failed.Usage)
	}
	if got, _, err := ask(open(t, Options{BaseURL: "http://127.0.0.1:1"}), hi()); err == nil || got.Sent || got.Received != 0 {
		t.Error("it was heard of a request that was never sent")
	}
}

func TestRequest_OutputLimit_BoundsThinkingToo(t *testing.T) {
	req := hi()
	req.Output, req.Thinking, req.Model = 3000, modelcall.ThinkingHigh, "claude-opus-4-5"
	if got := requestBody(t, req, Options{}); !strings.Contains(got, `"max_tokens":3000`) || !strings.Contains(got, `"budget_tokens":1976`) {
		t.Errorf("sent %s", got)
	}
}
