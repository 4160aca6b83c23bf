package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open creates a provider called "test" that is closed after the test.
func open(t testing.TB, o Options) *Provider {
	t.Helper()
	o.Name = "test"
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// serve runs h as a server on loopback and returns its base URL.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// sendStream returns a handler that responds with the bytes of a stream.
func sendStream(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Request-Id", "req_1")
		_, _ = io.WriteString(w, stream)
	}
}

// ask streams one answer. It also returns the text of all deltas.
func ask(p *Provider, req modelcall.Request) (modelcall.Answer, string, error) {
	var said strings.Builder
	answer, err := p.Stream(context.Background(), req, func(d modelcall.Delta) { said.WriteString(d.Text) })
	return answer, said.String(), err
}

func hi() modelcall.Request {
	return modelcall.Request{Model: "m", Messages: []protocol.Message{protocol.NewUserMessage("hi")}}
}

func thought(block string) protocol.ContentPart {
	return protocol.ContentPart{Thinking: &protocol.Thinking{Format: ThinkingFormat, Block: json.RawMessage(block)}}
}

func called(id, name, arguments string) protocol.ContentPart {
	return protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}}
}

func said(parts ...protocol.ContentPart) protocol.Message {
	return protocol.Message{Role: protocol.RoleAssistant, Parts: parts}
}

func resulted(results ...protocol.ToolResult) protocol.Message {
	m := protocol.Message{Role: protocol.RoleTool}
	for _, r := range results {
		m.Parts = append(m.Parts, protocol.ContentPart{Result: &r})
	}
	return m
}

// history returns a conversation that has every kind of message.
func history() modelcall.Request {
	return modelcall.Request{
		Model: "claude-opus-5-5", System: "Be <brief>.", Cache: time.Hour, Thinking: modelcall.ThinkingMedium,
		Tools: []protocol.Tool{
			{Name: "list_files", Description: "Lists."},
			{Name: "read_file", Description: "Reads.",
				Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)},
		},
		Messages: []protocol.Message{
			protocol.NewUserMessage("good morning"),
			said(thought(`{"type":"thinking","thinking":"early","signature":"s0"}`),
				protocol.ContentPart{Text: "Good morning."}),
			protocol.NewUserMessage("what is in a & b?"),
			said(thought(`{"type":"thinking","thinking":"","signature":"s1","more":{"x":1}}`),
				protocol.ContentPart{Thinking: &protocol.Thinking{Format: "other",
					Block: json.RawMessage(`{"type":"thinking"}`)}},
				thought(`{"type":"redacted_thinking","data":"d"}`), thought(`{"type":"text","text":"none"}`), thought(`{`),
				protocol.ContentPart{Text: "I look."}, protocol.ContentPart{Text: " \n"},
				called("1", "read_file", `{"path":"<a>"}`), called("2", "tool with spaces", ``)),
			resulted(protocol.ToolResult{Call: "1", Name: "read_file", Text: "A"}),
			resulted(protocol.ToolResult{Call: "2", Name: "tool with spaces", Failed: true}),
			protocol.NewUserMessage("and quickly"),
			said(called("3", "list_files", `{}`)),
			resulted(protocol.ToolResult{Call: "3", Name: "list_files"}),
		},
	}
}

// captureRequests starts an endpoint that answers "ok". The returned function returns all request
// bodies so far.
func captureRequests(t testing.TB) (string, func() []string) {
	var bodies []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body)) // no lock: there is only one request at a time
		sendStream(okStream)(w, r)
	})
	return base, func() []string { return bodies }
}

const okStream = `data: {"type":"message_start","message":{"model":"served","usage":{"input_tokens":3}}}` + "\n\n" +
	`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}` + "\n\n" +
	`data: {"type":"content_block_stop","index":0}` + "\n\n" +
	`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}` + "\n\n" +
	`data: {"type":"message_stop"}` + "\n\n"

// requestBody returns the body of the HTTP request for req.
func requestBody(t testing.TB, req modelcall.Request, o Options) string {
	t.Helper()
	base, bodies := captureRequests(t)
	o.BaseURL = base
	if _, _, err := ask(open(t, o), req); err != nil {
		t.Fatal(err)
	}
	return bodies()[0]
}

func compact(t testing.TB, text string) string {
	t.Helper()
	var buf bytes.Buffer
	if err := json.Compact(&buf, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestRequest_HasAnthropicsShape(t *testing.T) {
	const marker = `"cache_control":{"ttl":"1h","type":"ephemeral"}`
	want := map[string]string{
		"model": `"claude-opus-5-5"`, "max_tokens": `32000`, "stream": `true`,
		"thinking": `{"type":"adaptive"}`, "output_config": `{"effort":"medium"}`,
		"system": `[{"text":"Be <brief>.",` + marker + `,"type":"text"}]`,
		"tools": `[{"input_schema":{"type":"object"},"name":"list_files","description":"Lists."},
			{"input_schema":{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false},
			"name":"read_file","description":"Reads.",` + marker + `}]`,
		"messages": `[
			{"content":[{"text":"good morning","type":"text"}],"role":"user"},
			{"content":[{"text":"Good morning.","type":"text"}],"role":"assistant"},
			{"content":[{"text":"what is in a & b?","type":"text"}],"role":"user"},
			{"content":[{"type":"thinking","thinking":"","signature":"s1","more":{"x":1}},
				{"type":"redacted_thinking","data":"d"},
				{"text":"I look.","type":"text"},
				{"id":"1","input":{"path":"<a>"},"name":"read_file","type":"tool_use"},
				{"id":"2","input":{},"name":"tool_with_spaces","type":"tool_use"}],"role":"assistant"},
			{"content":[{"tool_use_id":"1","content":[{"text":"A","type":"text"}],"type":"tool_result"},
				{"tool_use_id":"2","is_error":true,"content":[{"text":"The tool failed and did not say why.","type":"text"}],
				"type":"tool_result"},
				{"text":"and quickly",` + marker + `,"type":"text"}],"role":"user"},
			{"content":[{"id":"3","input":{},"name":"list_files","type":"tool_use"}],"role":"assistant"},
			{"content":[{"tool_use_id":"3",` + marker + `,"type":"tool_result"}],"role":"user"}]`,
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(requestBody(t, history(), Options{})), &got); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if diff := cmp.Diff(parsed(t, value), parsed(t, string(got[name]))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("fields beside those: %s", got)
	}
}

func parsed(t testing.TB, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// TestThinking_NextRequest_HasItUnchanged checks that thinking is sent back unchanged, because
// Anthropic has signed it.
func TestThinking_NextRequest_HasItUnchanged(t *testing.T) {
	const block = `{"type":"thinking","thinking":"ein \"Wort\" \u2028 \u003cund\u003e <zwei> & 🦅","signature":"a+/==","n":1.50}`
	req := hi()
	req.Model, req.Thinking = "claude-sonnet-4-5", modelcall.ThinkingLow
	req.Messages = append(req.Messages, said(thought(block), called("1", "f", `{}`)), resulted(protocol.ToolResult{Call: "1"}))
	body := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(requestBody(t, req, Options{}))
	if want := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(block); !strings.Contains(body, want) {
		t.Errorf("not in %s", body)
	}
}

// withoutMarkers returns a body without cache markers. In the common prefix of two requests, only
// the markers may differ.
func withoutMarkers(body string) string {
	for _, marker := range []string{`"cache_control":{"ttl":"1h","type":"ephemeral"}`} {
		body = strings.NewReplacer(marker+",", "", ","+marker, "").Replace(body)
	}
	return body
}

// prefixOf returns a body's messages, and the rest of the body.
func prefixOf(t *testing.T, body string) (messages, rest string) {
	t.Helper()
	from := strings.Index(body, `"messages":[`)
	to := strings.Index(body, `],"model":`)
	if from < 0 || to < from {
		t.Fatalf("no messages in %s", body)
	}
	return body[from:to], body[:from] + body[to:]
}

func TestRequest_NextStep_ExtendsPreviousRequest(t *testing.T) {
	base, bodies := captureRequests(t)
	p := open(t, Options{BaseURL: base})
	all := history()
	grow := []int{3, 6, 7, 9} // lengths of the requests; message 7 is the user's second message
	for _, end := range append(grow, 9) {
		req := all
		req.Messages = all.Messages[:end]
		if _, _, err := ask(p, req); err != nil {
			t.Fatal(err)
		}
	}
	got := bodies()
	if got[3] != got[4] {
		t.Errorf("the same conversation became\n%s\nand\n%s", got[3], got[4])
	}
	for i := range len(got) - 2 {
		before, fixed := prefixOf(t, withoutMarkers(got[i]))
		after, same := prefixOf(t, withoutMarkers(got[i+1]))
		// the next request may have more messages
		before = strings.TrimSuffix(before, `],"role":"user"}`)
		if !strings.HasPrefix(after, before) || fixed != same {
			t.Errorf("request %d:\n%s\nrequest %d:\n%s", i, got[i], i+1, got[i+1])
		}
	}
}

func TestCacheMarkers_NextRequest_FindsThem(t *testing.T) {
	for keep, ttl := range map[time.Duration]string{0: "", -1: "", time.Minute: "5m", 5 * time.Minute: "5m", time.Hour: "1h"} {
		req := history()
		req.Cache = keep
		body := requestBody(t, req, Options{})
		marker, want := `"cache_control":{"ttl":"`+ttl+`","type":"ephemeral"}`, 4
		if ttl == "" {
			marker, want = `"cache_control"`, 0
		}
		if got := strings.Count(body, marker); got != want || strings.Count(body, "cache_control") != want {
			t.Errorf("keep for %v: %d markers in %s", keep, got, body)
		}
	}
	req := hi()
	req.Cache = time.Hour
	if got := strings.Count(requestBody(t, req, Options{}), "cache_control"); got != 1 {
		t.Errorf("%d markers on nothing but a greeting", got)
	}
}

func TestRequest_Unsendable_FailsBeforeSending(t *testing.T) {
	p := open(t, Options{BaseURL: "http://127.0.0.1:1"})
	narrated, empty := hi(), hi()
	narrated.Messages[0].Role = "narrator"
	empty.Messages[0].Parts = nil
	for want, req := range map[string]modelcall.Request{`role "narrator"`: narrated, "no message": empty} {
		_, _, err := ask(p, req)
		if failed := new(modelcall.Error); !errors.As(err, &failed) || failed.Class != modelcall.RequestRefused ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnswer_StreamsAndHasUsage(t *testing.T) {
	var deltas []string
	p := open(t, Options{BaseURL: serve(t, sendStream(string(recorded(t)))), APIKey: "k"})
	got, err := p.Stream(t.Context(), history(), func(d modelcall.Delta) { deltas = append(deltas, d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	want := modelcall.Answer{
		Message: said(
			thought(`{"signature":"EqQBCgIYAhIM1gbcDSE9a+/==","thinking":"Wo liegt die Notiz? Ich sehe \u003cnach\u003e `+
				`\u0026 lese.","type":"thinking"}`),
			thought(`{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4="}`),
			protocol.ContentPart{Text: "Ich schaue nach, ça va? 🦅"},
			called("toolu_01", "read_file", `{"path":"notizen/über.md"}`), called("toolu_02", "list_files", `{}`)),
		Model: "claude-opus-5-5", Request: "req_1", Stop: modelcall.StopReasonTools,
		Usage: protocol.Usage{Input: 1525, Output: 89, CacheRead: 1200, CacheWrite: 300},
		Sent:  true, Received: got.Received, // another test checks the field Received
	}
	for _, p := range got.Message.Parts {
		if p.Thinking != nil {
			p.Thinking.Block = json.RawMessage(compact(t, string(p.Thinking.Block)))
		}
	}
	for _, part := range want.Message.Parts[:2] {
		part.Thinking.Origin = "test@" + p.Host + "/" + history().Model
	}
	want.Message.Parts[1].Thinking.Block = json.RawMessage(compact(t, string(want.Message.Parts[1].Thinking.Block)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Ich schaue", " nach, ça", " va? 🦅"}, deltas); diff != "" {
		t.Error(diff)
	}
}

// answers has a complete stream and the expected answer for each stop reason.
var answers = []struct {
	name, blocks, reason string
	stop                 modelcall.StopReason
	text                 string
	calls                []string // expected tool calls, each as "id name arguments"
}{
	{"all said", text("hi"), "end_turn", modelcall.StopReasonEnd, "hi", nil},
	{"a reason nobody has heard of", text("hi"), "tired", modelcall.StopReasonOther, "hi", nil},
	{"the last call before a reason nobody has heard of", text("hi") + call("g", `{"y":`), "tired",
		modelcall.StopReasonOther, "hi", nil},
	{"a whole call before a reason nobody has heard of", call("f", `{"x":1}`), "tired", modelcall.StopReasonTools, "",
		[]string{`f f {"x":1}`}},
	{"a stop sequence", text("hi"), "stop_sequence", modelcall.StopReasonEnd, "hi", nil},
	{"a paused turn goes on when it is sent again", text("hi"), "pause_turn", modelcall.StopReasonLength, "hi", nil},
	{"broken off at the limit of tokens", text("once upon"), "max_tokens", modelcall.StopReasonLength, "once upon",
		nil},
	{"broken off where the context is full", text("once"), "model_context_window_exceeded", modelcall.StopReasonLength,
		"once", nil},
	{"calls whatever the reason", text("a") + call("f", `{"x":1}`) + call("g", ``), "end_turn",
		modelcall.StopReasonTools, "a",
		[]string{`f f {"x":1}`, `g g {}`}},
	{"a reason of calls without one", text("a"), "tool_use", modelcall.StopReasonEnd, "a", nil},
	{"the call that the limit cut is left out", text("a") + call("f", `{"x":1}`) + call("g", `{"y":`), "max_tokens",
		modelcall.StopReasonLength, "a", []string{`f f {"x":1}`}},
	{"a call that the limit cut before its first word", text("a") + call("g", ``), "max_tokens",
		modelcall.StopReasonLength, "a", nil},
	{"a call that is whole at the limit", call("f", `{"x":1}`), "max_tokens", modelcall.StopReasonLength, "",
		[]string{`f f {"x":1}`}},
	{"broken arguments", call("f", `{"x":1,"X":2}`), "tool_use", modelcall.StopReasonTools, "",
		[]string{`f f {"_malformed":"{\"x\":1,\"X\":2}"}`}},
	{"space between blocks is said, and space alone is not", text(" \n") + call("f", `{}`), "tool_use",
		modelcall.StopReasonTools, "",
		[]string{"f f {}"}},
	{"blocks all at once, as proxies do",
		start(`{"type":"text","text":"hi"}`) + start(`{"type":"tool_use","name":"f","input":{"x": 1}}`), "tool_use",
		modelcall.StopReasonTools, "hi", []string{`toolu_2 f {"x":1}`}},
	{"blocks and deltas that are not known", start(`{"type":"server_tool_use","id":"s"}`) + text("hi"), "end_turn",
		modelcall.StopReasonEnd, "hi", nil},
}

// Pieces of streams. INDEX is replaced by the index of the block.
func start(block string) string {
	return `event: content_block_start` + "\n" + `data: {"type":"content_block_start","index":INDEX,"content_block":` + block +
		"}\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n" +
		`data: {"type":"content_block_delta","index":INDEX,"delta":{"type":"of_tomorrow_delta","text":"no"}}` + "\n\n|"
}

func text(s string) string { return piece(`{"type":"text","text":""}`, "text_delta", "text", s) }

func call(name, arguments string) string {
	return piece(`{"type":"tool_use","id":"`+name+`","name":"`+name+`","input":{}}`, "input_json_delta", "partial_json", arguments)
}

func piece(block, kind, field, value string) string {
	quoted, _ := json.Marshal(value)
	return strings.TrimSuffix(start(block), "|") + `data: {"type":"content_block_delta","index":INDEX,"delta":{"type":"` + kind +
		`","` + field + `":` + string(quoted) + "}}\n\n" + `data: {"type":"content_block_stop","index":INDEX}` + "\n\n|"
}

// streamOf joins the pieces of a stream.
func streamOf(blocks, reason string) string {
	var out strings.Builder
	out.WriteString(": a comment\r\n\r\n" + `data: {"type":"message_start","message":{"usage":{"input_tokens":7}}}` + "\n\n")
	for i, b := range strings.Split(strings.TrimSuffix(blocks, "|"), "|") {
		out.WriteString(strings.ReplaceAll(b, "INDEX", fmt.Sprint(i)))
	}
	out.WriteString("event: of_tomorrow\ndata: {\"type\":\"of_tomorrow\"}\n\n")
	out.WriteString(`data: {"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":5}}` + "\n\n")
	return out.String()
}

func TestStopReason_Each_IsTranslated(t *testing.T) {
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			answer, heard, err := ask(open(t, Options{BaseURL: serve(t, sendStream(streamOf(a.blocks, a.reason)))}), hi())
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.Message.Text(); got != a.text || strings.TrimSpace(heard) != a.text || answer.Stop != a.stop {
				t.Errorf("text %q, said %q, stopped for %q", got, heard, answer.Stop)
			}
			var calls []string
			for _, c := range answer.Message.ToolCalls() {
				calls = append(calls, c.ID+" "+c.Name+" "+string(c.Arguments))
			}
			if diff := cmp.Diff(a.calls, calls); diff != "" {
				t.Error(diff)
			}
			if answer.Model != "m" || answer.Usage != (protocol.Usage{Input: 7, Output: 5}) {
				t.Errorf("model %q, usage %v", answer.Model, answer.Usage)
			}
		})
	}
}

func TestConnection_IsReused(t *testing.T) {
	seen := map[string]bool{}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true // no lock: there is only one request at a time
		sendStream(okStream)(w, r)
	})
	p := open(t, Options{BaseURL: base})
	for range 3 {
		if _, _, err := ask(p, hi()); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("%d connections for three calls", len(seen))
	}
}

func TestNew_WrongOptions_AreRefused(t *testing.T) {
	for _, o := range []Options{{MaxTokens: -1}, {Silence: -1}, {BaseURL: "127.0.0.1:8080/v1"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

func TestBaseURL_VersionIsOptional(t *testing.T) {
	for base, want := range map[string]string{
		"": "https://api.anthropic.com/v1/messages", "http://h": "http://h/v1/messages", "http://h/v1": "http://h/v1/messages",
		"http://h/v1/": "http://h/v1/messages", "http://h/x/": "http://h/x/v1/messages", "http://h/x/v1": "http://h/x/v1/messages",
		"https://h/x?api-version=2": "https://h/x/v1/messages?api-version=2",
	} {
		var got string
		client := &http.Client{Transport: modeltest.FakeTransport(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, errors.New("far away")
		})}
		_, _, err := ask(open(t, Options{BaseURL: base, HTTPClient: client}), hi())
		if got != want || err == nil {
			t.Errorf("%q: got %s, want %s", base, got, want)
		}
	}
}

// TestEnvironmentVariables_AreIgnored sets all variables that Anthropic's library would read.
func TestEnvironmentVariables_AreIgnored(t *testing.T) {
	for _, name := range []string{"BASE_URL", "API_KEY", "AUTH_TOKEN", "PROFILE", "ORGANIZATION_ID", "FEDERATION_RULE_ID",
		"IDENTITY_TOKEN", "WORKSPACE_ID", "CONFIG_DIR"} {
		t.Setenv("ANTHROPIC_"+name, "http://canary.invalid/")
	}
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Canary: canary")
	t.Setenv("HOME", t.TempDir())
	for _, key := range []string{"", "mine"} {
		var head http.Header
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			head = r.Header
			sendStream(okStream)(w, r)
		})
		if _, _, err := ask(open(t, Options{BaseURL: base, APIKey: key}), hi()); err != nil {
			t.Fatal(err)
		}
		if head.Get("X-Api-Key") != key || head.Get("Authorization") != "" || strings.Contains(fmt.Sprint(head), "canary") {
			t.Errorf("with the key %q: %v", key, head)
		}
		for name := range head {
			if strings.HasPrefix(name, "X-Stainless") || name == "Traceparent" {
				t.Errorf("the header %s tells of this machine", name)
			}
		}
		if head.Get("Anthropic-Version") != "2023-06-01" || head.Get("User-Agent") != "mews" || head.Get("Anthropic-Beta") != "" {
			t.Errorf("headers %v", head)
		}
	}
}

func TestContextEnd_EndsCallWithItsCause(t *testing.T) {
	stop := errors.New("the person said stop")
	for name, begun := range map[string]bool{"before the answer began": false, "within the answer": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			gone := make(chan struct{})
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(gone)
				if begun {
					sendStream(okStream[:strings.Index(okStream, `data: {"type":"content_block_stop"`)])(w, r)
					_ = http.NewResponseController(w).Flush()
				} else {
					cancel(stop)
				}
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			})
			got, err := open(t, Options{BaseURL: base}).Stream(ctx, hi(), func(modelcall.Delta) { cancel(stop) })
			if err != stop || got.Message.Parts != nil {
				t.Errorf("got %v, %v", got, err)
			}
			<-gone // the server has noticed the end of the request
		})
	}
}

func TestModels_SeveralPages_AreJoined(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/v1/models" {
			t.Errorf("asked %s", r.URL)
		}
		if r.URL.Query().Get("after_id") == "b" {
			_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"c"},{"id":"x\u0000y"},{"id":""}],"has_more":false,"last_id":"c"}`)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"a","display_name":"A"},{"id":"b"}],"has_more":true,"first_id":"a","last_id":"b"}`)
	})
	got, err := open(t, Options{BaseURL: base + "/v1"}).Models(t.Context())
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	for want, h := range map[string]http.HandlerFunc{
		"did not accept the API key": page(401, "application/json", `{"error":{"type":"authentication_error"}}`),
		"is not Anthropic's API":     page(200, "text/html", `<html>`),
		"something that is not":      page(200, "application/json", `{"data":`),
		"is not Anthropic's API (HT": page(404, "text/plain", `no`),
	} {
		_, err := open(t, Options{BaseURL: serve(t, h)}).Models(t.Context())
		if failed := new(modelcall.Error); !errors.As(err, &failed) || !strings.Contains(problem.UserText(err), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}
