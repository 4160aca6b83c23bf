package openai

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

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
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
	return s.URL + "/v1"
}

// sendStream returns a handler that responds with the bytes of a stream.
func sendStream(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
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

// history returns a conversation that has every kind of message.
func history() modelcall.Request {
	return modelcall.Request{
		Model: "m", System: "Be <brief>.",
		Tools: []protocol.Tool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []protocol.Message{
			protocol.NewUserMessage("what is in a & b?"),
			{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{
				{Text: "I look."},
				{Call: &protocol.ToolCall{ID: "1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a"}`)}},
				{Call: &protocol.ToolCall{ID: "2", Name: "tool with spaces"}},
			}},
			{Role: protocol.RoleTool, Parts: []protocol.ContentPart{
				{Result: &protocol.ToolResult{Call: "1", Name: "read_file", Text: "A"}},
			}},
			{Role: protocol.RoleTool, Parts: []protocol.ContentPart{
				{Result: &protocol.ToolResult{Call: "2", Name: "tool with spaces", Text: "no such tool", Failed: true}},
			}},
			{Role: protocol.RoleAssistant},
			protocol.NewUserMessage("go on"),
		},
	}
}

// requestJSON returns the JSON of a request.
func requestJSON(t *testing.T, p *Provider, req modelcall.Request) []byte {
	t.Helper()
	r, err := p.newRequest(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := remote.EncodeRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestRequest_HasOpenAIsShape(t *testing.T) {
	want := `{"model":"m","messages":[
		{"role":"system","content":"Be <brief>."},
		{"role":"user","content":"what is in a & b?"},
		{"role":"assistant","content":"I look.","tool_calls":[
			{"id":"1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},
			{"id":"2","type":"function","function":{"name":"tool_with_spaces","arguments":"{}"}}]},
		{"role":"tool","content":"A","tool_call_id":"1"},
		{"role":"tool","content":"error: no such tool","tool_call_id":"2"},
		{"role":"user","content":"go on"}],
		"tools":[{"type":"function","function":{"name":"read_file","description":"Reads.","parameters":{"type":"object"}}}],
		"stream":true,"stream_options":{"include_usage":true}}`
	got := requestJSON(t, open(t, Options{BaseURL: "http://h/v1"}), history())
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compact.String(), strings.TrimSpace(string(got))); diff != "" {
		t.Error(diff)
	}
}

func TestRequest_UnknownRole_FailsBeforeSending(t *testing.T) {
	p := open(t, Options{BaseURL: "http://127.0.0.1:1/v1"})
	req := hi()
	req.Messages[0].Role = "narrator"
	_, _, err := ask(p, req)
	checkSentence(t, err, supervisor.CodeModelFailed,
		`This conversation holds something that cannot be sent to "test". `+
			`Begin a new one with /new; an admin finds in the log what it is.`)
	if !strings.Contains(err.Error(), `message 0: role "narrator"`) {
		t.Errorf("got %v", err)
	}
}

func TestAnswer_StreamsAndHasUsage(t *testing.T) {
	server, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "Grüße, wie geht's?", Chunk: 3, Usage: &modeltest.AnswerUsage{Prompt: 9,
			Completion: 5, Cached: 4}}
	})
	server.Key = "sk-1"
	p := open(t, Options{BaseURL: base, APIKey: "sk-1"})
	var deltas []string
	answer, err := p.Stream(t.Context(), history(), func(d modelcall.Delta) { deltas = append(deltas, d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	want := modelcall.Answer{
		Message: protocol.Message{Role: protocol.RoleAssistant,
			Parts: []protocol.ContentPart{{Text: "Grüße, wie geht's?"}}},
		Model: "m", Usage: protocol.Usage{Input: 9, Output: 5, CacheRead: 4}, Stop: modelcall.StopReasonEnd,
		Request: answer.Request, Sent: true, Received: answer.Received, // other tests check Request and Received
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Error(diff)
	}
	if len(deltas) < 5 || strings.Join(deltas, "") != "Grüße, wie geht's?" {
		t.Errorf("deltas %q", deltas)
	}
}

func TestToolCalls_ArriveComplete(t *testing.T) {
	calls := []modeltest.Call{
		{ID: "a", Name: "read_file", Args: `{"path": "x/y.md"}`}, {ID: "b", Name: "list_files"},
		{ID: "c", Name: "write_file", Args: `{"path": "half`},
	}
	_, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
		return modeltest.Answer{Text: "On it.", Calls: calls, Chunk: 2}
	})
	answer, said, err := ask(open(t, Options{BaseURL: base}), hi())
	if err != nil || said != "On it." {
		t.Fatalf("said %q, %v", said, err)
	}
	want := []protocol.ToolCall{
		{ID: "a", Name: "read_file", Arguments: json.RawMessage(`{"path":"x/y.md"}`)},
		{ID: "b", Name: "list_files", Arguments: json.RawMessage(`{}`)},
		{ID: "c", Name: "write_file", Arguments: json.RawMessage(`{"_malformed":"{\"path\": \"half"}`)},
	}
	if diff := cmp.Diff(want, answer.Message.ToolCalls()); diff != "" {
		t.Error(diff)
	}
}

// dialects are streams that real servers have sent.
var dialects = []struct {
	name, stream, text string
	calls              []string // each call as "id name arguments"
}{
	{"comments, keep-alives, CRLF and fields of no use to us",
		": OPENROUTER PROCESSING\r\n\r\nid: 7\r\nretry: 10\r\ndata:\r\n\r\n" +
			"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
		"hi", nil},
	{"no space after the colon, data in two lines",
		"data:{\"choices\":[{\"delta\":{\"content\":\"hi\"},\ndata:\"finish_reason\":\"stop\"}]}\n\n", "hi", nil},
	{"no [DONE], null where there is nothing",
		`data: {"choices":[{"delta":{"content":"hi","tool_calls":null},"finish_reason":null}],"usage":null,"error":null}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":null},"finish_reason":"stop"}]}` + "\n\n", "hi", nil},
	{"a second choice that nobody asked for",
		`data: {"choices":[{"index":0,"delta":{"content":"hi"}},{"index":1,"delta":{"content":"no"}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"end_turn"}]}` + "\n\n", "hi", nil},
	{"a refusal is what the model says",
		`data: {"choices":[{"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}` + "\n\n", "I will not.", nil},
	{"calls that all have index 0, and stop as the reason",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n", "", []string{`a f {"x":1}`, `b g {}`}},
	{"calls without an index, without ids, arguments as an object",
		`data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"name":"g","arguments":null}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n", "", []string{`a f {"x":1}`, `call_2 g {}`}},
	{"the id and the name again with each piece, pieces of two calls mixed",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}},` +
			`{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}},` +
			`{"index":1,"id":"","function":{"name":"","arguments":":2}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
		"", []string{`a f {"x":1}`, `b g {"y":2}`}},
	{"broken off at the limit of tokens, and not marked in the text",
		`data: {"choices":[{"delta":{"content":"once upon"},"finish_reason":"length"}]}` + "\n\n",
		"once upon", nil},
	{"thinking in fields of its own",
		`data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text"}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n", "hi", nil},
	{"thinking in the text",
		`data: {"choices":[{"delta":{"content":"\n<th"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"ink>Should I? <b></thin"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"k>\n\n"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"I say <think>."},"finish_reason":"stop"}]}` + "\n\n", "I say <think>.", nil},
	{"a text that only begins like thinking",
		`data: {"choices":[{"delta":{"content":" <thi"},"finish_reason":"stop"}]}` + "\n\n", " <thi", nil},
}

func TestServerDialects_AreUnderstood(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			answer, said, err := ask(open(t, Options{BaseURL: serve(t, sendStream(d.stream))}), hi())
			if err != nil {
				t.Fatal(err)
			}
			if got := answer.Message.Text(); got != d.text || said != d.text {
				t.Errorf("text %q, said %q, want %q", got, said, d.text)
			}
			var calls []string
			for _, c := range answer.Message.ToolCalls() {
				calls = append(calls, c.ID+" "+c.Name+" "+string(c.Arguments))
			}
			if diff := cmp.Diff(d.calls, calls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAnswer_WithoutStream_IsRead has whole JSON answers of servers that ignore "stream".
func TestAnswer_WithoutStream_IsRead(t *testing.T) {
	for body, want := range map[string]string{
		`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}`: "hi end 3",
		`{"choices":[{"message":{"content":"hi"},"finish_reason":null}]}`:                               "hi end 0",
		`{"choices":[{"message":{"content":"hi"},"finish_reason":"length"}]}`:                           "hi length 0",
		`{"choices":[{"message":{"content":[{"type":"text","text":"hi"}]}}],"error":null}`:              "hi end 0",
		`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`: " tools 0 f",
		`{"choices":[{"message":{"function_call":{"name":"f","arguments":"{}"}}}]}`: " tools 0 f",
		`{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`:           "empty",
		`{"choices":[],"error":{"message":"no","code":500}}`:                        "server",
		`{"error":{"message":"no credit","code":"insufficient_quota"}}`:             "credit",
		`[{"error":{"code":429,"message":"slow down"}}]`:                            "rate_limited",
		`{"choices":[{"message":{"con`:                                              "missing",
		`{}`:                                                                        "missing",
	} {
		answer, said, err := ask(open(t, Options{BaseURL: serve(t, page(200, "application/json", body))}), hi())
		got := fmt.Sprintf("%s %s %d", answer.Message.Text(), answer.Stop, answer.Usage.Input)
		for _, c := range answer.Message.ToolCalls() {
			got += " " + c.Name
		}
		if err != nil {
			got = string(modeltest.ErrorClassOf(err))
		}
		if got != want || said != answer.Message.Text() {
			t.Errorf("%s: got %q, %v; want %q; said %q", body, got, err, want, said)
		}
	}
}

func TestConnection_IsReused(t *testing.T) {
	seen := map[string]bool{}
	server := modeltest.NewUnstartedServer(modeltest.EchoScript)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true // no lock: there is only one request at a time
		server.ServeHTTP(w, r)
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

func TestBaseURL_PathAndQueryAreKept(t *testing.T) {
	for base, want := range map[string]string{
		"http://h/v1":               "http://h/v1/chat/completions",
		"http://h/v1/":              "http://h/v1/chat/completions",
		"https://h/x?api-version=2": "https://h/x/chat/completions?api-version=2",
	} {
		if got := open(t, Options{BaseURL: base}).chatURL; got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
}

func TestContextEnd_EndsCallWithItsCause(t *testing.T) {
	stop := errors.New("the person said stop")
	cases := map[string]modeltest.Answer{
		"before the answer began": {Hang: true},
		"within the answer":       {Text: "a b c d", Chunk: 2, Hang: true, CutAfter: 500},
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			_, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer {
				if answer.CutAfter == 0 {
					cancel(stop)
				}
				return answer
			})
			p := open(t, Options{BaseURL: base})
			got, err := p.Stream(ctx, hi(), func(modelcall.Delta) { cancel(stop) })
			if err != stop || got.Message.Parts != nil {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
