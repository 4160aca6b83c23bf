package modeltest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messagesRequestOf returns a streaming request in Anthropic's format. more has further fields,
// each with a comma after it.
func messagesRequestOf(more, messages string) string {
	return `{` + more + `"model":"m","max_tokens":4096,"stream":true,"messages":[` + messages + `]}`
}

const (
	asks = `{"role":"user","content":"hi"}`
	uses = `{"role":"assistant","content":[{"type":"text","text":"Let me see."},` +
		`{"type":"tool_use","id":"u1","name":"f","input":{"x":1}}]}`
	answers = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":"seen"}]}`
	oneTool = `"tools":[{"name":"f","description":"does","input_schema":{"type":"object"}}],`
)

func TestMessages_Stream_LooksLikeAnthropics(t *testing.T) {
	_, base := NewServer(t, func(Request) Answer {
		return Answer{Text: "Grüße!", Calls: []Call{{Name: "f", Args: `{"x":1}`}, {ID: "own", Name: "g"}}, Chunk: 3}
	})
	r := postMessages(t, base, messagesRequestOf(oneTool, asks))
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") ||
		r.header.Get("Request-Id") != "req_000000000001" {
		t.Fatalf("%d %v", r.status, r.header)
	}
	var order []string
	said, arguments := "", ""
	for _, ev := range r.events(t) {
		if ev.name != text(ev.data, "type") {
			t.Errorf("event %s holds %v", ev.name, ev.data)
		}
		if len(order) == 0 || order[len(order)-1] != ev.name {
			order = append(order, ev.name)
		}
		said += text(ev.data, "delta.text")
		arguments += text(ev.data, "delta.partial_json")
		if ev.name == "message_delta" && (text(ev.data, "delta.stop_reason") != "tool_use" ||
			number(ev.data, "usage.output_tokens") < 2) {
			t.Errorf("the end: %v", ev.data)
		}
	}
	start, delta, stop := "content_block_start", "content_block_delta", "content_block_stop"
	want := []string{"message_start", start, "ping", delta, stop, start, delta, stop, start, delta, stop,
		"message_delta", "message_stop"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if said != "Grüße!" || arguments != `{"x":1}` {
		t.Errorf("said %q, called with %q", said, arguments)
	}
}

func TestMessages_WithoutStream_AnswerInOneBody(t *testing.T) {
	_, base := NewServer(t, func(Request) Answer {
		return Answer{Text: "Hello.", Calls: []Call{{Name: "f", Args: `{"x":1}`}}}
	})
	v := postMessages(t, base, strings.Replace(messagesRequestOf("", asks), `"stream":true,`, "", 1)).object(t)
	if text(v, "content.0.text") != "Hello." || number(v, "content.1.input.x") != 1 || text(v, "stop_reason") != "tool_use" ||
		text(v, "role") != "assistant" || number(v, "usage.output_tokens") == 0 {
		t.Errorf("got %v", v)
	}
}

func TestScript_SeesSameRequestInBothFormats(t *testing.T) {
	s, base := NewServer(t, EchoScript)
	postMessages(t, base, messagesRequestOf(`"system":[{"type":"text","text":"Be kind."}],`+oneTool, asks+`,`+uses+
		`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","is_error":true,`+
		`"content":[{"type":"text","text":"broke"}]},`+
		`{"type":"text","text":"again"}]}`))
	chat := `{"model":"m","stream":true,"max_tokens":4096,"tools":[{"type":"function","function":{"name":"f",` +
		`"description":"does",` +
		`"parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"Be kind."},` + user +
		`,{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"u1","type":"function","function":{"name":"f",` +
		`"arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"u1","content":"error: broke"},` +
		`{"role":"user","content":"again"}]}`
	post(t, base, "", chat)
	seen := s.Requests()
	if len(seen) != 2 {
		t.Fatalf("%d requests", len(seen))
	}
	if string(seen[1].Raw) != chat || seen[0].Header.Get("Anthropic-Version") == "" {
		t.Errorf("kept %q, %v", seen[1].Raw, seen[0].Header)
	}
	if seen[0].Format != FormatAnthropic || seen[1].Format != FormatOpenAI {
		t.Errorf("formats %q and %q", seen[0].Format, seen[1].Format)
	}
	for i := range seen {
		seen[i].Raw, seen[i].Header, seen[i].Format, seen[i].ID = nil, nil, "", ""
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
		t.Error(diff)
	}
}

func TestMessages_WithoutHeaders_AreRefused(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Key = "right"
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		says    string
	}{
		{"no key", []string{"anthropic-version", "2023-06-01"}, 401, "x-api-key header is required"},
		{"a wrong key", []string{"anthropic-version", "2023-06-01", "x-api-key", "wrong"}, 401, "invalid x-api-key"},
		{"no version", []string{"x-api-key", "right"}, 400, "anthropic-version: header is required"},
		{"a strange version", []string{"x-api-key", "right", "anthropic-version", "2"}, 400, "not a valid version"},
		{"a bearer", []string{"Authorization", "Bearer right", "anthropic-version", "2023-06-01"}, 200, ""},
	} {
		r := send(t, http.MethodPost, base+"/messages", messagesRequestOf("", asks), c.headers...)
		if r.status != c.status || (c.status != 200 && text(r.object(t), "error.message") == "") ||
			!strings.Contains(r.body, c.says) {
			t.Errorf("%s: %d %s", c.name, r.status, r.body)
		}
		if c.status == 401 && (text(r.object(t), "error.type") != "authentication_error" || text(r.object(t), "type") != "error" ||
			text(r.object(t), "request_id") != r.header.Get("Request-Id")) {
			t.Errorf("%s: %s", c.name, r.body)
		}
	}
	if r := send(t, http.MethodPost, base+"/v1/messages", "{}", "x-api-key", "right"); r.status != 404 {
		t.Errorf("/v1/v1/messages: %d", r.status)
	}
}
