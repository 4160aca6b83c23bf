package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// quoted returns text as a JSON string.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(data)
}

func TestServerAt_BaseURL_NamesServer(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.openai.com/v1":                                "openai",
		"https://eu.API.OpenAI.com/v1":                             "openai",
		"https://api.openai.com.evil.test/v1":                      "any",
		"https://api.groq.com/openai/v1":                           "groq",
		"https://api.deepinfra.com/v1/openai":                      "deepinfra",
		"https://openrouter.ai/api/v1":                             "openrouter",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "gemini",
		"https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi": "gemini",
		"https://api.deepseek.com":       "deepseek",
		"https://api.moonshot.cn/v1":     "moonshot",
		"https://api.kimi.com/coding/v1": "moonshot",
		"http://127.0.0.1:11434/v1":      "ollama",
		"http://gpu.lan:8080/v1":         "llama.cpp",
		"http://[::1]:1234/v1":           "lmstudio",
		"http://localhost:8000/v1":       "vllm",
		"http://localhost:4000/v1":       "any",
	} {
		if got := open(t, Options{BaseURL: base}).server.name; got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
	if got := open(t, Options{BaseURL: "http://localhost:4000/v1", Server: "vllm"}).server.name; got != "vllm" {
		t.Errorf("as it is set: %s", got)
	}
	_, err := New(Options{Name: "test", BaseURL: "http://h/v1", Server: "vlm"})
	if err == nil || !strings.Contains(err.Error(), strings.Join(ServerNames(), ", ")) {
		t.Errorf("got %v", err)
	}
}

// extras returns the parameters of a request that not all servers accept.
func extras(t *testing.T, body []byte) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	for _, usual := range []string{"model", "messages", "tools", "stream", "stream_options"} {
		delete(all, usual)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRequest_EachServer_HasKnownParameters compares the requests to each server with a table.
func TestRequest_EachServer_HasKnownParameters(t *testing.T) {
	low, off := modelcall.ThinkingLow, modelcall.ThinkingOff
	cases := []struct {
		server   string
		thinking modelcall.ThinkingLevel
		limit    int
		want     string
	}{
		{"any", "", 0, `{}`},
		{"any", off, 0, `{}`},
		{"any", low, 9, `{"max_tokens":9,"reasoning_effort":"low"}`},
		{"openai", off, 9, `{"max_completion_tokens":9,"reasoning_effort":"none"}`},
		{"openai", modelcall.ThinkingHigh, 0, `{"reasoning_effort":"high"}`},
		{"groq", low, 9, `{"max_completion_tokens":9,"reasoning_effort":"low"}`},
		{"deepinfra", "", 9, `{"max_tokens":9,"reasoning_effort":"none"}`},
		{"openrouter", low, 9, `{"max_tokens":9,"reasoning":{"effort":"low"}}`},
		{"openrouter", off, 0, `{"reasoning":{"effort":"none"}}`},
		{"ollama", modelcall.ThinkingMedium, 9, `{"max_tokens":9,"reasoning_effort":"medium"}`},
		{"llama.cpp", low, 0, `{"chat_template_kwargs":{"enable_thinking":true,"reasoning_effort":"low"},` +
			`"parallel_tool_calls":true}`},
		{"vllm", off, 0, `{"chat_template_kwargs":{"enable_thinking":false}}`},
		{"lmstudio", low, 0, `{"reasoning_effort":"low"}`},
		{"gemini", off, 9, `{"max_tokens":9}`},
		{"gemini", low, 0, `{"reasoning_effort":"low"}`},
		{"deepseek", off, 9, `{"max_tokens":9,"thinking":{"type":"disabled"}}`},
		{"deepseek", low, 0, `{"reasoning_effort":"low","thinking":{"type":"enabled"}}`},
		{"moonshot", low, 0, `{"thinking":{"type":"enabled"}}`},
	}
	for _, c := range cases {
		t.Run(c.server+" "+string(c.thinking), func(t *testing.T) {
			req := history()
			req.Thinking = c.thinking
			p := open(t, Options{BaseURL: "http://h/v1", Server: c.server, MaxOutput: c.limit})
			if got := extras(t, requestJSON(t, p, req)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestThinking_OfOtherAPIs_IsNotSent(t *testing.T) {
	req := hi()
	req.Messages = append(req.Messages, protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{
		{Thinking: &protocol.Thinking{Format: "anthropic", Block: json.RawMessage(`{"thinking":"secret"}`)}}, {Text: "Hello."}}},
		protocol.NewUserMessage("go on"))
	body := string(requestJSON(t, open(t, Options{BaseURL: "http://h/v1"}), req))
	if strings.Contains(body, "secret") || !strings.Contains(body, `{"role":"assistant","content":"Hello."}`) {
		t.Errorf("sent %s", body)
	}
}

func TestCache_IsRequestedIfNeeded(t *testing.T) {
	openAI := open(t, Options{BaseURL: "https://api.openai.com/v1"})
	req := history()
	if got := string(requestJSON(t, openAI, req)); strings.Contains(got, "cache") {
		t.Errorf("unasked: %s", got)
	}
	req.Cache = 5 * time.Minute
	short := extras(t, requestJSON(t, openAI, req))
	if !strings.Contains(short, `"prompt_cache_key":"mews-`) || strings.Contains(short, "retention") {
		t.Errorf("5 minutes: %s", short)
	}
	req.Cache = time.Hour
	long := extras(t, requestJSON(t, openAI, req))
	if long != strings.Replace(short, `",`, `","prompt_cache_retention":"24h",`, 1) {
		t.Errorf("an hour: %s, but 5 minutes %s", long, short)
	}
	req.Messages = append(req.Messages, protocol.NewUserMessage("more"))
	if more := extras(t, requestJSON(t, openAI, req)); more != long {
		t.Errorf("the conversation goes on: %s, but before %s", more, long)
	}
	for _, server := range []string{"any", "groq", "ollama"} {
		if got := string(requestJSON(t, open(t, Options{BaseURL: "http://h/v1", Server: server}), req)); strings.Contains(got, "cache") {
			t.Errorf("%s: %s", server, got)
		}
	}
}

func TestOpenRouter_MarksCacheOfAnthropicModels(t *testing.T) {
	p := open(t, Options{BaseURL: "https://openrouter.ai/api/v1"})
	req := history()
	req.Cache = time.Hour
	if got := string(requestJSON(t, p, req)); strings.Contains(got, "cache_control") {
		t.Errorf("another's model: %s", got)
	}
	req.Model = "anthropic/claude"
	req.Messages = req.Messages[:4] // the request now ends with the results of tools
	mark := `,"cache_control":{"type":"ephemeral","ttl":"1h"}}]`
	got := string(requestJSON(t, p, req))
	for _, want := range []string{
		`{"role":"system","content":[{"type":"text","text":"Be <brief>."` + mark,
		`{"role":"user","content":[{"type":"text","text":"what is in a & b?"` + mark,
		`{"role":"tool","content":[{"type":"text","text":"error: no such tool"` + mark,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if n := strings.Count(got, "cache_control"); n != 3 {
		t.Errorf("%d marks", n)
	}
}

// refusingServer refuses requests that contain certain words, and records all requests.
type refusingServer struct {
	refusals map[string]http.HandlerFunc // handlers by refused word
	sent     []string
}

func (s *refusingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	s.sent = append(s.sent, string(body)) // no lock: there is only one request at a time
	for word, refuse := range s.refusals {
		if strings.Contains(string(body), word) {
			refuse(w, r)
			return
		}
	}
	sendStream(`data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\n")(w, r)
}

// TestRefusedParameter_IsNeverSentAgain uses the refusals of real servers.
func TestRefusedParameter_IsNeverSentAgain(t *testing.T) {
	reply := func(status int, body string) http.HandlerFunc { return page(status, "application/json", body) }
	cases := []struct {
		name, server, word string
		refuse             http.HandlerFunc
	}{
		{"OpenAI: a model that doesn't think", "openai", `"reasoning_effort"`, reply(400, `{"error":{"message":"Unsupported `+
			`parameter: 'reasoning_effort' is not supported with this model.","param":"reasoning_effort",`+
			`"code":"unsupported_parameter"}}`)},
		{"OpenAI: an unknown one", "openai", `"prompt_cache_key"`, reply(400, `{"error":{"message":"Unrecognized request `+
			`argument supplied: prompt_cache_key","type":"invalid_request_error","param":null,"code":null}}`)},
		{"OpenAI: a cache that can't", "openai", `"prompt_cache_retention"`, reply(400, `{"error":{"message":"x",`+
			`"param":"prompt_cache_retention","code":"invalid_parameter"}}`)},
		{"OpenAI: the limit's other name", "openai", `"max_completion_tokens"`, reply(400, `{"error":{"message":"x",`+
			`"param":"max_completion_tokens"}}`)},
		{"Ollama: a model that doesn't think", "ollama", `"reasoning_effort"`, reply(400,
			`{"error":{"message":"\"gemma\" does not support thinking","type":"api_error"}}`)},
		{"Ollama: off is no word of an older one", "ollama", `"reasoning_effort"`, reply(400,
			`{"error":{"message":"invalid reasoning value: 'none' (must be \"high\", \"medium\", or \"low\")"}}`)},
		{"Groq: a model that doesn't think", "groq", `"reasoning_effort"`, reply(400,
			"{\"error\":{\"message\":\"`reasoning_effort` is not supported with this model\",\"type\":\"invalid_request_error\"}}")},
		{"OpenRouter: one that must", "openrouter", `"reasoning"`, reply(400,
			`{"error":{"code":400,"message":"Reasoning is mandatory for this endpoint and cannot be disabled."}}`)},
		{"OpenRouter: marks", "openrouter", `"cache_control"`, reply(400,
			`{"error":{"code":400,"message":"messages.0.content: cache_control: not permitted"}}`)},
		{"vLLM: an argument of the template", "vllm", `"chat_template_kwargs"`, reply(400, `{"object":"error","message":`+
			`"chat_template is not supported for Mistral tokenizers.","type":"BadRequestError","param":null,"code":400}`)},
		{"llama.cpp: several calls at once", "llama.cpp", `"parallel_tool_calls"`, reply(400,
			`{"error":{"code":400,"message":"Unsupported param: parallel_tool_calls","type":"invalid_request_error"}}`)},
		{"FastAPI: a field that it doesn't have", "any", `"stream_options"`, reply(422,
			`{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`)},
		{"DeepInfra: the limit", "deepinfra", `"max_tokens"`, reply(422, `{"detail":"max_tokens: not here"}`)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &refusingServer{refusals: map[string]http.HandlerFunc{c.word: c.refuse}}
			p := open(t, Options{BaseURL: serve(t, s.ServeHTTP), Server: c.server, MaxOutput: 5})
			req := history()
			req.Cache, req.Model = time.Hour, "anthropic/claude"
			for range 2 {
				if _, _, err := ask(p, req); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.sent) != 3 || strings.Contains(s.sent[1], c.word) || s.sent[2] != s.sent[1] {
				t.Errorf("sent %d: %s", len(s.sent), strings.Join(s.sent, "\n"))
			}
			req.Model += "-2" // this model has not refused anything yet
			if _, _, err := ask(p, req); err != nil || len(s.sent) != 5 {
				t.Errorf("another model: sent %d, %v", len(s.sent), err)
			}
		})
	}
}

func TestRefusal_NotOfParameter_IsNotRetried(t *testing.T) {
	for name, body := range map[string]string{
		"a parameter that was not sent": `{"error":{"message":"bad","param":"reasoning_effort"}}`,
		"a word within another":         `{"error":{"message":"my_stream_options2 is wrong"}}`,
		"the conversation's length":     `{"error":{"message":"stream_options: maximum context length is 8"}}`,
		"a message":                     `{"error":{"message":"bad","param":"messages.0.content"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := &refusingServer{refusals: map[string]http.HandlerFunc{"model": page(400, "application/json", body)}}
			_, _, err := ask(open(t, Options{BaseURL: serve(t, s.ServeHTTP)}), hi())
			if class := modeltest.ErrorClassOf(err); len(s.sent) != 1 || (class != modelcall.RequestRefused &&
				class != modelcall.RequestTooLong) {
				t.Errorf("sent %d, %v", len(s.sent), err)
			}
		})
	}
}

// TestServer_RefusesEverything_CallFails also covers a server whose refusals each name a new
// parameter.
func TestServer_RefusesEverything_CallFails(t *testing.T) {
	everything := `{"error":{"message":"stream_options reasoning_effort max_completion_tokens prompt_cache_key ` +
		`prompt_cache_retention"}}`
	s := &refusingServer{refusals: map[string]http.HandlerFunc{"model": page(400, "application/json", everything)}}
	req := hi()
	req.Cache = time.Hour
	_, _, err := ask(open(t, Options{BaseURL: serve(t, s.ServeHTTP), Server: "openai", MaxOutput: 5}), req)
	if modeltest.ErrorClassOf(err) != modelcall.RequestRefused || len(s.sent) != 6 || extras(t,
		[]byte(s.sent[5])) != "{}" {
		t.Errorf("sent %d, %v", len(s.sent), err)
	}
}

func TestToolName_Invalid_IsReplaced(t *testing.T) {
	req := hi()
	req.Tools = []protocol.Tool{{Name: "mail.send", Schema: json.RawMessage(`{"type":"object"}`)}}
	stream := `data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"mail_send","arguments":"{}"}}]},` +
		`"finish_reason":"tool_calls"}]}` + "\n\n"
	answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), req)
	want := []protocol.ToolCall{{ID: "a", Name: "mail.send", Arguments: json.RawMessage("{}")}}
	if diff := cmp.Diff(want, answer.Message.ToolCalls()); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestServer_RefusesTools_ErrorExplainsFix(t *testing.T) {
	refuse := page(400, "application/json", `{"error":{"message":"'tools' is not supported with this model."}}`)
	s := &refusingServer{refusals: map[string]http.HandlerFunc{`"tools"`: refuse}}
	_, _, err := ask(open(t, Options{BaseURL: serve(t, s.ServeHTTP), Server: "openai"}), history())
	checkSentence(t, err, supervisor.CodeModelFailed,
		`The model "m" of "test" cannot use tools, and Mews needs them. Use a model that can.`)
	if got := new(modelcall.Error); !errors.As(err, &got) || got.Class != modelcall.ToolsUnsupported {
		t.Errorf("got %v", err)
	}
}
