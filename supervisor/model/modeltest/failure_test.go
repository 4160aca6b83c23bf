package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// classes has all values of FailureClass.
var classes = []FailureClass{FailureRateLimited, FailureOverloaded, FailureInternalError, FailureModelLoading,
	FailureWrongKey, FailureForbidden, FailureNoCredit,
	FailureUnknownModel, FailurePromptTooLong, FailureBodyTooLarge,
	FailureToolsUnsupported,
	FailureContentFiltered, FailureInvalidRequest}

func TestMessages_Failure_LooksLikeAnthropics(t *testing.T) {
	for _, c := range []struct {
		class      FailureClass
		status     int
		kind, says string
	}{
		{FailureRateLimited, 429, "rate_limit_error", "rate limit"},
		{FailureOverloaded, 529, "overloaded_error", "Overloaded"},
		{FailureInternalError, 500, "api_error", "Internal server error"},
		{FailureWrongKey, 401, "authentication_error", "invalid x-api-key"},
		{FailureForbidden, 403, "permission_error", "permission"},
		{FailureNoCredit, 400, "invalid_request_error", "credit balance is too low"},
		{FailureUnknownModel, 404, "not_found_error", "model: m"},
		{FailurePromptTooLong, 400, "invalid_request_error", "prompt is too long: 8 tokens > 5 maximum"},
		{FailureBodyTooLarge, 413, "request_too_large", "maximum size"},
		{FailureContentFiltered, 400, "invalid_request_error", "content filtering policy"},
	} {
		s := NewUnstartedServer(nil)
		s.Limits.Context = 5
		e := &exchange{Request: Request{Model: "m", Format: FormatAnthropic, ID: "req_1"}, server: s}
		e.prompt.pieces = []piece{{data: make([]byte, 32)}}
		r := Answer{Fail: &Failure{Class: c.class}}.refusal(e)
		v := reply{body: r.messagesBody("req_1")}.object(t)
		if r.status != c.status || text(v, "error.type") != c.kind ||
			!strings.Contains(text(v, "error.message"), c.says) ||
			text(v, "type") != "error" || text(v, "request_id") != "req_1" {
			t.Errorf("%s: %d %v", c.class, r.status, v)
		}
	}
}

func TestRateLimit_HasRetryTime(t *testing.T) {
	s, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultFromFailureClass(FailureRateLimited)))
	s.Now = func() time.Time { return time.Unix(1_800_000_000, 0) }
	r := postMessages(t, base, messagesRequestOf("", asks))
	if r.status != 429 || r.header.Get("Retry-After") != "7" ||
		r.header.Get("Anthropic-Ratelimit-Requests-Remaining") != "0" ||
		r.header.Get("Anthropic-Ratelimit-Requests-Reset") != "2027-01-15T08:00:07Z" {
		t.Errorf("%d %v", r.status, r.header)
	}
	if r := postMessages(t, base, messagesRequestOf("", asks)); r.status != 200 {
		t.Errorf("and then: %d %s", r.status, r.body)
	}
}

// words returns the text of an error from any dialect.
func words(v map[string]any) string {
	for _, path := range []string{"error.message", "detail.error", "error", "detail"} {
		if s := text(v, path); s != "" {
			return s
		}
	}
	return ""
}

func TestDialects_EveryFailureClass_IsAnswered(t *testing.T) {
	for _, d := range Dialects {
		for _, class := range classes {
			s, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultFromFailureClass(class)))
			s.Dialect = d
			r := send(t, http.MethodPost, base+"/chat/completions", chatRequest(user))
			if r.status < 400 || words(r.object(t)) == "" ||
				strings.ContainsAny(strings.ReplaceAll(words(r.object(t)), "{model}", "{"), "{}") ||
				r.header.Get("X-Request-Id") == "" {
				t.Errorf("%q, %s: %d %v %s", d, class, r.status, r.header, r.body)
			}
			if r := send(t, http.MethodPost, base+"/chat/completions", chatRequest(user)); r.status != 200 {
				t.Errorf("%q, after %s: %d %s", d, class, r.status, r.body)
			}
		}
	}
}

func TestDialects_HaveOwnErrorTexts(t *testing.T) {
	for _, c := range []struct {
		dialect    Dialect
		class      FailureClass
		status     int
		path, says string
	}{
		{DialectOpenAI, FailureRateLimited, 429, "error.code", "rate_limit_exceeded"},
		{DialectOpenAI, FailureNoCredit, 429, "error.code", "insufficient_quota"},
		{DialectOpenAI, FailurePromptTooLong, 400, "error.code", "context_length_exceeded"},
		{DialectOllama, FailureUnknownModel, 404, "error.message", `model "m" not found, try pulling it first`},
		{DialectOllama, FailureToolsUnsupported, 400, "error.message", "does not support tools"},
		{DialectLlamaCpp, FailureModelLoading, 503, "error.message", "Loading model"},
		{DialectLlamaCpp, FailurePromptTooLong, 400, "error.type", "exceed_context_size_error"},
		{DialectVLLM, FailureToolsUnsupported, 400, "error.message", "--enable-auto-tool-choice"},
		{DialectVLLM, FailureWrongKey, 401, "error", "Unauthorized"},
		{DialectGroq, FailureRateLimited, 429, "error.type", "tokens"},
		{DialectDeepInfra, FailureNoCredit, 402, "detail.error", "balance"},
		{DialectDeepInfra, FailureOverloaded, 429, "error.message", "Model busy"},
		{DialectOpenRouter, FailureToolsUnsupported, 404, "error.message", "support tool use"},
		{DialectOpenRouter, FailureRateLimited, 429, "error.metadata.raw", "m is temporarily rate-limited"},
		{DialectLMStudio, FailurePromptTooLong, 400, "error", "context length of only"},
	} {
		s, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultFromFailureClass(c.class)))
		s.Dialect = c.dialect
		r := send(t, http.MethodPost, base+"/chat/completions", chatRequest(user))
		if r.status != c.status || !strings.Contains(text(r.object(t), c.path), c.says) {
			t.Errorf("%q, %s: %d %s", c.dialect, c.class, r.status, r.body)
		}
	}
}

func TestLateFailure_IsInStream(t *testing.T) {
	for _, d := range Dialects {
		s, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultAfterAnswer(FailureInternalError)))
		s.Dialect = d
		all := send(t, http.MethodPost, base+"/chat/completions", chatRequest(user)).events(t)
		last := all[len(all)-1].data
		if at(last, "error") == nil && at(last, "detail") == nil {
			t.Errorf("%q: %v", d, last)
		}
		if d == DialectOpenRouter && text(last, "choices.0.finish_reason") != "error" {
			t.Errorf("%q: %v", d, last)
		}
	}
	_, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultAfterAnswer(FailureOverloaded),
		func(a Answer) Answer { a.Error = "no"; return a }))
	for _, want := range []string{"overloaded_error", "api_error"} {
		r := postMessages(t, base, messagesRequestOf("", asks))
		all := r.events(t)
		if last := all[len(all)-1]; r.status != 200 || last.name != "error" || text(last.data, "error.type") != want {
			t.Errorf("%d %v", r.status, last)
		}
		if strings.Contains(r.body, "content_block_stop") || strings.Contains(r.body, "message_delta") {
			t.Errorf("the block in the middle of which it failed has ended: %s", r.body)
		}
	}
}

func TestFailure_OwnStatus_OverridesDefault(t *testing.T) {
	_, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultFromFailure(Failure{Status: 502,
		Body: "<html>Bad gateway</html>"}),
		FaultFromFailure(Failure{Class: FailureOverloaded, Text: "go away",
			Header: map[string]string{"Retry-After": "90"}})))
	if r := postMessages(t, base, messagesRequestOf("", asks)); r.status != 502 || r.body != "<html>Bad gateway</html>\n" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := postMessages(t, base, messagesRequestOf("", asks)); r.status != 529 || r.header.Get("Retry-After") != "90" ||
		text(r.object(t), "error.message") != "go away" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
}

// TestFaultCutStream_CutsAtExactByte cuts answers in both formats at every byte. The received bytes
// must be the beginning of the whole answer.
func TestFaultCutStream_CutsAtExactByte(t *testing.T) {
	script := func(cut int) Script {
		return func(Request) Answer {
			return Answer{Text: "Grüße", Calls: []Call{{ID: "a", Name: "f", Args: `{}`}}, CutAfter: cut}
		}
	}
	for name, ask := range map[string]func(base string) string{
		"openai":    func(base string) string { _, body := post(t, base, "", chatRequest(user)); return body },
		"anthropic": func(base string) string { return postMessages(t, base, messagesRequestOf("", asks)).body },
	} {
		var cut atomic.Int64 // an atomic, because the goroutine of the server reads it
		listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// a new server for each request, so that all answers have the same id
			NewUnstartedServer(script(int(cut.Load()))).ServeHTTP(w, r)
		}))
		t.Cleanup(listener.Close)
		base := listener.URL + "/v1"
		whole := ask(base)
		for n := 1; n < len(whole); n++ {
			cut.Store(int64(n))
			if got, want := ask(base), whole[:n]+io.ErrUnexpectedEOF.Error(); got != want {
				t.Fatalf("%s, cut after %d: %q", name, n, got)
			}
		}
	}
}

func TestScriptWithFaults_PlaysFaultsInOrder(t *testing.T) {
	_, base := NewServer(t, ScriptWithFaults(AnswerOKScript, nil, FaultEmptyAnswer, FaultMalformedCall,
		FaultUnknownTool,
		FaultStopReason(StopReasonLength), FaultStopReason(StopReasonFilter), FaultCutStream(20)))
	ask := func() []event {
		r := postMessages(t, base, messagesRequestOf(oneTool, asks))
		if strings.HasSuffix(r.body, io.ErrUnexpectedEOF.Error()) {
			return nil
		}
		return r.events(t)
	}
	stop := func(all []event) string { return text(all[len(all)-2].data, "delta.stop_reason") }
	if all := ask(); stop(all) != "end_turn" || len(all) != 7 {
		t.Errorf("nothing wrong: %v", all)
	}
	if all := ask(); stop(all) != "end_turn" || len(all) != 3 {
		t.Errorf("empty: %v", all)
	}
	if all := ask(); stop(all) != "tool_use" || !slices.ContainsFunc(all, func(ev event) bool {
		piece := text(ev.data, "delta.partial_json")
		return piece != "" && !json.Valid([]byte(piece))
	}) {
		t.Errorf("malformed: %v", all)
	}
	if all := ask(); !strings.Contains(fmt.Sprint(all), "pod_bay") {
		t.Errorf("unknown: %v", all)
	}
	if all := ask(); stop(all) != "max_tokens" {
		t.Errorf("length: %v", all)
	}
	if all := ask(); stop(all) != "refusal" {
		t.Errorf("filter: %v", all)
	}
	if all := ask(); all != nil {
		t.Errorf("cut: %v", all)
	}
	if all := ask(); stop(all) != "end_turn" {
		t.Errorf("and then: %v", all)
	}
}

func TestStalledStream_EndsWhenClientDisconnects(t *testing.T) {
	for _, n := range []int{0, 30} {
		_, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultStalledStream(n)))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/messages",
			strings.NewReader(messagesRequestOf("", asks)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", "k")
		req.Header.Set("Anthropic-Version", "2023-06-01")
		transport := &http.Transport{DisableKeepAlives: true}
		if n == 0 {
			transport.ResponseHeaderTimeout = 50 * time.Millisecond
		}
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if n == 0 {
			if err == nil || !strings.Contains(err.Error(), "timeout awaiting response headers") {
				t.Errorf("headers came: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		begun, err := io.ReadAll(io.LimitReader(resp.Body, int64(n)))
		if len(begun) != n || err != nil {
			t.Errorf("got %q, %v", begun, err)
		}
		resp.Body.Close()
	}
}
