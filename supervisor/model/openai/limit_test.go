package openai

import (
	"net/http"
	"strings"
	"testing"

	"mews/protocol"
)

// TestPaidOutputLimit_IsNeverDropped checks that a refused limit is renamed, or lowered to the
// model's maximum.
func TestPaidOutputLimit_IsNeverDropped(t *testing.T) {
	refuse := func(body string) http.HandlerFunc { return page(400, "application/json", body) }
	cases := map[string]struct {
		server   string
		refusals map[string]http.HandlerFunc
		sent     []string // the limit in each request of two calls; the first call succeeds
		fails    bool
	}{
		"as the server has it": {"openai", nil, []string{`{"max_completion_tokens":9000}`, `{"max_completion_tokens":9000}`}, false},
		"by its other name": {"any", map[string]http.HandlerFunc{`"max_tokens"`: refuse(`{"error":{"message":"Unsupported parameter: ` +
			`'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`)},
			[]string{`{"max_tokens":9000}`, `{"max_completion_tokens":9000}`, `{"max_completion_tokens":9000}`}, false},
		"by neither": {"any", map[string]http.HandlerFunc{`"max_tokens"`: refuse(`{"error":{"param":"max_tokens","message":"no"}}`),
			`"max_completion_tokens"`: refuse(`{"error":{"param":"max_completion_tokens","message":"no"}}`)},
			[]string{`{"max_tokens":9000}`, `{"max_completion_tokens":9000}`}, true},
		"OpenAI: more than the model may say": {"openai", map[string]http.HandlerFunc{`9000`: refuse(`{"error":{"message":"max_tokens is ` +
			`too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.","param":"max_tokens"}}`)},
			[]string{`{"max_completion_tokens":9000}`, `{"max_completion_tokens":4096}`, `{"max_completion_tokens":4096}`}, false},
		"Groq: the same": {"groq", map[string]http.HandlerFunc{`9000`: refuse("{\"error\":{\"message\":\"`max_completion_tokens` must be less than or equal to `8192`\"}}")},
			[]string{`{"max_completion_tokens":9000}`, `{"max_completion_tokens":8192}`, `{"max_completion_tokens":8192}`}, false},
		"DeepSeek: the same": {"any", map[string]http.HandlerFunc{`9000`: refuse(`{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"}}`)},
			[]string{`{"max_tokens":9000}`, `{"max_tokens":8192}`, `{"max_tokens":8192}`}, false},
	}
	for name, k := range cases {
		t.Run(name, func(t *testing.T) {
			s := &refusingServer{refusals: k.refusals}
			p := open(t, Options{BaseURL: serve(t, s.ServeHTTP), Server: k.server})
			req := hi()
			req.Output = 9000
			_, _, err := ask(p, req)
			if err == nil {
				_, _, err = ask(p, req)
			}
			if (err != nil) != k.fails || len(s.sent) != len(k.sent) {
				t.Fatalf("sent %d, %v: %s", len(s.sent), err, strings.Join(s.sent, "\n"))
			}
			for i, want := range k.sent {
				if !strings.Contains(s.sent[i], strings.Trim(want, "{}")) {
					t.Errorf("request %d is %s, want %s", i+1, s.sent[i], want)
				}
			}
		})
	}
}

// TestReceivedBytes_IncludeThinkingAndCalls also checks that the request is reported as sent.
func TestReceivedBytes_IncludeThinkingAndCalls(t *testing.T) {
	stream := `data: {"choices":[{"delta":{"reasoning_content":"12345"}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"12"}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"bc","arguments":"{}"}}]}}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}` + "\n\n"
	got, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
	if err == nil {
		t.Fatal("half an answer was taken")
	}
	if !got.Sent || got.Received < 5+2+5 || got.Received > 9+2+5 || got.Usage != (protocol.Usage{Input: 7, Output: 3}) {
		t.Errorf("heard of %+v", got)
	}
	if got, _, err := ask(open(t, Options{BaseURL: "http://127.0.0.1:1/v1"}), hi()); err == nil || got.Sent || got.Received != 0 {
		t.Errorf("heard of %+v, of a request that was never sent", got)
	}
	failed := hi()
	failed.Messages[0].Role = "nobody's"
	if got, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), failed); err == nil || got.Sent {
		t.Errorf("heard of %+v, of a request that can't be sent", got)
	}
}
