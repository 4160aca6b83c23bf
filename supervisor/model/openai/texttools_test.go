package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// serverWithoutTools is a server whose model has no native tools. It refuses requests with tools,
// and answers all others with its pieces.
type serverWithoutTools struct {
	refuse http.HandlerFunc
	pieces []string
	finish string
	sent   []string
}

func (s *serverWithoutTools) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	s.sent = append(s.sent, string(body)) // no lock: there is only one request at a time
	if strings.Contains(string(body), `"tools":`) || strings.Contains(string(body), `"role":"tool"`) {
		s.refuse(w, r)
		return
	}
	sendStream(s.stream())(w, r)
}

// stream returns the stream of an answer.
func (s *serverWithoutTools) stream() string {
	var stream strings.Builder
	for _, piece := range s.pieces {
		stream.WriteString(`data: {"choices":[{"delta":{"content":` + quoted(piece) + `}}]}` + "\n\n")
	}
	return stream.String() + `data: {"choices":[{"delta":{},"finish_reason":"` + s.finish + `"}]}` + "\n\n"
}

// TestModelWithoutTools_GetsToolsAsText uses the refusals of real servers. Later requests to the
// model have the tools in text at once.
func TestModelWithoutTools_GetsToolsAsText(t *testing.T) {
	for name, refuse := range map[string]http.HandlerFunc{
		"Ollama": page(400, "application/json",
			`{"error":{"message":"registry.ollama.ai/library/m does not support tools","type":"api_error"}}`),
		"vLLM": page(400, "application/json", `{"object":"error","message":"\"auto\" tool choice requires `+
			`--enable-auto-tool-choice and --tool-call-parser to be set","code":400}`),
		"llama.cpp": page(500, "application/json",
			`{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`),
		"OpenRouter": page(404, "application/json",
			`{"error":{"message":"No endpoints found that support tool use.","code":404}}`),
		"Groq": page(400, "application/json",
			"{\"error\":{\"message\":\"`tool calling` is not supported with this model\",\"type\":\"invalid_request_error\"}}"),
	} {
		t.Run(name, func(t *testing.T) {
			s := &serverWithoutTools{refuse: refuse, finish: "stop", pieces: []string{"I look.\n``", "`tool_call\n{\"name\": \"read_file\",",
				" \"arguments\": {\"path\": \"a\"}}\n", "```", "\n\nIt says 7."}}
			p := open(t, Options{BaseURL: serve(t, s.ServeHTTP)})
			for range 2 {
				answer, said, err := ask(p, history())
				if err != nil || said != "I look.\n" || answer.Message.Text() != said ||
					answer.Stop != modelcall.StopReasonTools {
					t.Fatalf("said %q, %+v, %v", said, answer, err)
				}
				want := []protocol.ToolCall{{ID: "call_1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a"}`)}}
				if diff := cmp.Diff(want, answer.Message.ToolCalls()); diff != "" {
					t.Error(diff)
				}
			}
			if len(s.sent) != 3 || s.sent[1] != s.sent[2] {
				t.Errorf("sent %d", len(s.sent))
			}
		})
	}
}

func TestTextTools_CallsAndResultsKeepOrder(t *testing.T) {
	p := open(t, Options{BaseURL: "http://h/v1"})
	p.remember("m", nativeTools)
	var got struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(requestJSON(t, p, history()), &got); err != nil {
		t.Fatal(err)
	}
	want := [][2]string{
		{"system", "Be <brief>.\n\n" + textTools + "\nread_file: Reads.\n{\"type\":\"object\"}\n"},
		{"user", "what is in a & b?"},
		{"assistant", "I look.\n\n```tool_call\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```\n\n" +
			"```tool_call\n{\"name\":\"tool_with_spaces\",\"arguments\":{}}\n```"},
		{"user", "```tool_result\n{\"name\":\"read_file\",\"result\":\"A\"}\n```\n\n" +
			"```tool_result\n{\"name\":\"tool_with_spaces\",\"result\":\"error: no such tool\"}\n```\n\ngo on"},
	}
	var messages [][2]string
	for _, m := range got.Messages {
		messages = append(messages, [2]string{m.Role, m.Content})
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Error(diff)
	}
}

func TestRequest_WithoutTools_HasNoToolText(t *testing.T) {
	p := open(t, Options{BaseURL: "http://h/v1"})
	plain := string(requestJSON(t, p, hi()))
	p.remember("m", nativeTools)
	if got := string(requestJSON(t, p, hi())); got != plain {
		t.Errorf("got %s, before %s", got, plain)
	}
}

func TestTextCalls_AnyFormat_AreFound(t *testing.T) {
	const call = `{"name":"f","arguments":{"x":1}}`
	cases := []struct {
		name, text, finish, said string
		calls                    []string
	}{
		{"only text", "Use ```tool_call blocks\n```go\nx\n```\n", "stop", "Use ```tool_call blocks\n```go\nx\n```\n", nil},
		{"a fence that only begins like it", "```tool_calls\nx\n```", "stop", "```tool_calls\nx\n```", nil},
		{"an unfinished line", "so\n```tool", "stop", "so\n```tool", nil},
		{"two", "```tool_call\n" + call + "\n```\n\n```tool_call\r\n" + call + "\r\n```\r\n", "stop", "",
			[]string{`f {"x":1}`, `f {"x":1}`}},
		{"the answer's end is the block's", "so\n```tool_call\n" + call, "stop", "so\n", []string{`f {"x":1}`}},
		{"on one line", "```tool_call " + call + "```\n", "stop", "", []string{`f {"x":1}`}},
		{"the fence behind the object", "```tool_call\n" + call + "```\n", "stop", "", []string{`f {"x":1}`}},
		{"no arguments", "```tool_call\n{\"name\":\"f\"}\n```", "stop", "", []string{`f {}`}},
		{"arguments in a string", "```tool_call\n{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}\n```", "stop", "",
			[]string{`f {"x":1}`}},
		{"over several lines", "```tool_call\n{\n \"name\": \"f\",\n \"arguments\": {\"x\": 1}\n}\n```", "stop", "",
			[]string{`f {"x":1}`}},
		{"no object", "```tool_call\nf(1)\n```", "stop", "", []string{`tool_call {"_malformed":"f(1)"}`}},
		{"cut in the call", "so\n```tool_call\n{\"name\":", "length", "so\n", nil},
		{"cut after a call", "so\n```tool_call\n" + call + "\n```\n```tool_call\n{", "length", "so\n", []string{`f {"x":1}`}},
		{"thinking before it", "<think>```tool_call\n{}\n```</think>\n\nso\n```tool_call\n" + call + "\n```", "stop", "so\n",
			[]string{`f {"x":1}`}},
	}
	for _, c := range cases {
		for _, size := range []int{1, 3, len(c.text)} {
			t.Run(c.name, func(t *testing.T) {
				s := &serverWithoutTools{finish: c.finish, pieces: inPieces(c.text, size)}
				p := open(t, Options{BaseURL: serve(t, s.ServeHTTP)})
				p.remember("m", nativeTools)
				answer, said, err := ask(p, history())
				if err != nil || said != c.said || (answer.Message.Text() != said && strings.TrimSpace(said) != "") {
					t.Errorf("said %q, %+v, %v", said, answer, err)
				}
				var calls []string
				for _, call := range answer.Message.ToolCalls() {
					calls = append(calls, call.Name+" "+string(call.Arguments))
				}
				if diff := cmp.Diff(c.calls, calls); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func inPieces(text string, size int) []string {
	var pieces []string
	for len(text) > size {
		pieces, text = append(pieces, text[:size]), text[size:]
	}
	return append(pieces, text)
}

// FuzzText compares a text that comes in pieces with the same text as a whole. Text and calls must
// be equal.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"hello", "<think>a</think>b", "<thi", "a\n```tool_call\n{\"name\":\"f\"}\n```\nb",
		"```tool_call {}```", "```tool_call\n```tool_call\n```", "\n\n<think>", "```", "a\r\n```tool_call\r\n{}\r\n```",
		"a</think>b", "```tool_call\n{}\n```</think>"} {
		f.Add(seed, 1)
		f.Add(seed, 4)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		read := func(pieces []string) (string, []*call) {
			var said strings.Builder
			b := newAnswerBuilder(func(text string) { said.WriteString(text) }, true, true)
			for _, piece := range pieces {
				_ = b.addText(piece) // a too long text fails in both cases
			}
			b.close(false)
			// text before </think> was said before it turned out to be thinking
			if !strings.HasSuffix(said.String(), b.text.String()) {
				t.Fatalf("said %q, kept %q", said.String(), b.text.String())
			}
			return b.text.String(), b.calls
		}
		once, calls := read([]string{text})
		again, callsAgain := read(inPieces(text, max(1, size)))
		if once != again || len(calls) != len(callsAgain) {
			t.Fatalf("at once %q and %d calls, in pieces %q and %d", once, len(calls), again, len(callsAgain))
		}
		for i, c := range calls {
			if c.name != callsAgain[i].name || c.arguments.String() != callsAgain[i].arguments.String() {
				t.Fatalf("call %d differs", i)
			}
		}
	})
}
