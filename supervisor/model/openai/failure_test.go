package openai

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// TestFailure_HasClassRetryTimeAndID also checks that the log has the request's id, but no text of
// the provider.
func TestFailure_HasClassRetryTimeAndID(t *testing.T) {
	var logged bytes.Buffer
	p := open(t, Options{Log: hclog.New(&hclog.LoggerOptions{Output: &logged, Level: hclog.Info}),
		BaseURL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "req_7")
			w.Header().Set("Retry-After", "9")
			page(429, "application/json", `{"error":{"message":"you said: my secret","code":"rate_limit_exceeded"}}`)(w, nil)
		})})
	_, _, err := ask(p, hi())
	got := new(modelcall.Error)
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	got.Err = nil
	want := &modelcall.Error{Class: modelcall.RateLimited, RetryAfter: 9 * time.Second, Request: "req_7", Free: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if log := logged.String(); !strings.Contains(log, "request=req_7") || strings.Contains(log, "secret") {
		t.Errorf("logged %s", log)
	}
}

func TestAnswer_HasRequestID(t *testing.T) {
	stream := `data: {"id":"gen-42","model":"n","choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"
	cases := []struct{ name, server, header, want string }{
		{"the header", "", "req_1", "req_1"},
		{"no name", "", "", ""},
		{"one that is none", "", "what a\tname", ""},
		{"OpenRouter's is in the body", "openrouter", "", "gen-42"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", c.header)
				sendStream(stream)(w, r)
			})
			answer, _, err := ask(open(t, Options{BaseURL: base, Server: c.server}), hi())
			if err != nil || answer.Request != c.want || answer.Model != "n" {
				t.Errorf("got %v, %v", answer, err)
			}
		})
	}
}

// TestUsage_IsKeptAfterFailure also covers a failure after the event with the usage.
func TestUsage_IsKeptAfterFailure(t *testing.T) {
	const word = `data: {"choices":[{"delta":{"content":"so"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}` + "\n\n"
	want := protocol.Usage{Input: 9, Output: 2}
	for name, rest := range map[string]string{
		"cut":          "",
		"an error":     `data: {"error":{"code":500,"message":"x"}}` + "\n\n",
		"a filter":     `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n",
		"nothing else": `data: {"choices":[{"delta":{},"finish_reason":"error"}],"usage":null}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(word+rest))}), hi())
			got := new(modelcall.Error)
			if !errors.As(err, &got) || got.Usage != want {
				t.Errorf("got %v of %v", got.Usage, err)
			}
		})
	}
}

func TestUsage_IsReadFromEachServer(t *testing.T) {
	cases := []struct {
		name, usage string
		want        protocol.Usage
	}{
		{"OpenAI: thinking is a part of the output", `{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,` +
			`"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":40}}`,
			protocol.Usage{Input: 100, Output: 50, CacheRead: 64}},
		{"thinking that is counted beside it", `{"prompt_tokens":100,"completion_tokens":10,"total_tokens":150,` +
			`"completion_tokens_details":{"reasoning_tokens":40}}`, protocol.Usage{Input: 100, Output: 50}},
		{"OpenRouter: what was written to the cache", `{"prompt_tokens":100,"completion_tokens":1,` +
			`"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":90}}`,
			protocol.Usage{Input: 100, Output: 1, CacheWrite: 90}},
		{"no sense", `{"prompt_tokens":-1,"completion_tokens":-2,"prompt_tokens_details":{"cached_tokens":-3}}`,
			protocol.Usage{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stream := `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n" +
				`data: {"choices":[],"usage":` + c.usage + "}\n\n"
			answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
			if err != nil || answer.Usage != c.want {
				t.Errorf("got %+v, %v", answer.Usage, err)
			}
		})
	}
}

// TestFinishReason_Each_IsTranslated also checks that incomplete calls are left out, so that they
// never run.
func TestFinishReason_Each_IsTranslated(t *testing.T) {
	call := func(id, args string) string {
		return `{"id":"` + id + `","function":{"name":"f","arguments":` + quoted(args) + `}}`
	}
	cases := []struct {
		name, delta, finish string
		stop                modelcall.StopReason
		calls               int
		class               modelcall.ErrorClass
	}{
		{"said all", `"content":"so"`, "stop", modelcall.StopReasonEnd, 0, ""},
		{"a reason of its own", `"content":"so"`, "eos", modelcall.StopReasonEnd, 0, ""},
		{"tools", `"tool_calls":[` + call("a", "{}") + `]`, "tool_calls", modelcall.StopReasonTools, 1, ""},
		{"tools by their old name", `"tool_calls":[` + call("a", "{}") + `]`, "function_call",
			modelcall.StopReasonTools, 1, ""},
		{"tools, and stop as Ollama says", `"tool_calls":[` + call("a", "{}") + `]`, "stop", modelcall.StopReasonTools,
			1, ""},
		{"length", `"content":"so"`, "length", modelcall.StopReasonLength, 0, ""},
		{"a reason nobody has heard of", `"content":"so"`, "tired", modelcall.StopReasonOther, 0, ""},
		{"a reason nobody has heard of, in a call", `"content":"so","tool_calls":[` + call("a", `{"x":`) + `]`, "tired",
			modelcall.StopReasonOther, 0, ""},
		{"the end in capitals", `"content":"so"`, "STOP", modelcall.StopReasonEnd, 0, ""},
		{"the server gave up", `"content":"so"`, "abort", "", 0, modelcall.ServerError},
		{"length in the first call", `"content":"so","tool_calls":[` + call("a", `{"x":`) + `]`, "length",
			modelcall.StopReasonLength, 0, ""},
		{"length before the arguments", `"content":"so","tool_calls":[` + call("a", "") + `]`, "length",
			modelcall.StopReasonLength, 0, ""},
		{"length in the second call", `"tool_calls":[` + call("a", "") + "," + call("b", `{"x"`) + `]`, "length",
			modelcall.StopReasonTools, 1, ""},
		{"length in a call and no text", `"tool_calls":[` + call("a", `{"x":`) + `]`, "length", "", 0,
			modelcall.LengthLimitBeforeText},
		{"length while thinking", `"reasoning":"hm"`, "length", "", 0, modelcall.LengthLimitBeforeText},
		{"nothing but thinking", `"content":"<think>hm</think>"`, "stop", "", 0, modelcall.EmptyAnswer},
		{"thinking without end", `"content":"<think>hm"`, "stop", "", 0, modelcall.EmptyAnswer},
		{"a filter", `"content":"so"`, "content_filter", "", 0, modelcall.ContentFiltered},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			stream := `data: {"choices":[{"delta":{` + c.delta + `},"finish_reason":"` + c.finish + `"}]}` + "\n\n"
			answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
			if modeltest.ErrorClassOf(err) != c.class || answer.Stop != c.stop ||
				len(answer.Message.ToolCalls()) != c.calls {
				t.Errorf("got %+v, %v", answer, err)
			}
		})
	}
}

func TestEndlessThinking_IsBrokenOff(t *testing.T) {
	thought := `data: {"choices":[{"delta":{"reasoning":"` + strings.Repeat("x", 1000) + `"}}]}` + "\n\n"
	p := open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(io.LimitReader(modeltest.RepeatingReader(thought), maxThinking*2))})
	if _, _, err := ask(p, hi()); modeltest.ErrorClassOf(err) != modelcall.MalformedAnswer {
		t.Errorf("got %v", err)
	}
}
