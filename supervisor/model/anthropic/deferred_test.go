package anthropic

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// found returns a conversation in which find_tools has opened some tools.
func found() modelcall.Request {
	req := history()
	req.Model, req.Thinking = "claude-sonnet-4-5", modelcall.ThinkingOff
	req.System = strings.Repeat("You are an assistant. ", 300)
	req.Tools = append(req.Tools, protocol.Tool{Name: "forget", Family: "memory"},
		protocol.Tool{Name: "terminal", Family: "terminal"})
	req.Messages = []protocol.Message{
		protocol.NewUserMessage("forget it"),
		said(called("1", "find_tools", `{"words":"memory"}`), called("2", "list_files", `{}`)),
		resulted(protocol.ToolResult{Call: "1", Name: "find_tools", Text: "memory: forget", Tools: []string{"forget", "gone"}}),
		resulted(protocol.ToolResult{Call: "2", Name: "list_files", Text: "a"}),
	}
	return req
}

// wire is the JSON of a request.
type wire struct {
	Tools []struct {
		Name  string         `json:"name"`
		Later bool           `json:"defer_loading"`
		Cache map[string]any `json:"cache_control"`
	} `json:"tools"`
	Messages []struct{ Content json.RawMessage } `json:"messages"`
}

// TestFoundTools_WithReference_AreDeferred also checks that other opened tools are sent in full,
// after the permanent tools.
func TestFoundTools_WithReference_AreDeferred(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*modelcall.Request)
		// tool names in order; ~ marks a deferred tool, + a cache marker
		tools  string
		result string
	}{
		"as it is": {func(*modelcall.Request) {}, "list_files read_file terminal+ ~forget",
			`[{"content":[{"tool_name":"forget","type":"tool_reference"}],"tool_use_id":"1","type":"tool_result"},` +
				`{"content":[{"text":"a","type":"text"}],"tool_use_id":"2","type":"tool_result"},` +
				`{"cache_control":{"ttl":"1h","type":"ephemeral"},"text":"find_tools: memory: forget","type":"text"}]`},
		"a model before 4.5": {func(r *modelcall.Request) { r.Model = "claude-opus-4-1-20250805" }, "list_files read_file forget terminal+", `[{"content":[{"text":"memory: forget"`},
		"nobody's model":     {func(r *modelcall.Request) { r.Model = "claude-test" }, "list_files read_file forget terminal+", `[{"content":[{"text":"memory: forget"`},
		"a newer one":        {func(r *modelcall.Request) { r.Model = "claude-opus-5" }, "list_files read_file terminal+ ~forget", `[{"content":[{"tool_name"`},
		"called before": {func(r *modelcall.Request) {
			r.Messages[1].Parts = append(r.Messages[1].Parts, called("3", "forget", `{}`))
			r.Messages = append(r.Messages, resulted(protocol.ToolResult{Call: "3", Name: "forget", Text: "b"}))
		}, "list_files read_file forget terminal+", `[{"content":[{"text":"memory: forget"`},
		"out of the window": {func(r *modelcall.Request) { r.Messages = []protocol.Message{protocol.NewUserMessage("hi")} },
			"list_files read_file forget terminal+", `[{"cache_control"`},
		"closed": {func(r *modelcall.Request) { r.Tools = r.Tools[:2] }, "list_files read_file+", `[{"content":[{"text":"memory: forget"`},
	} {
		t.Run(name, func(t *testing.T) {
			server, base := modeltest.NewServer(t, modeltest.EchoScript)
			req := found()
			test.change(&req)
			if _, _, err := ask(open(t, Options{BaseURL: base, APIKey: "k"}), req); err != nil {
				t.Fatal(err)
			}
			var sent wire
			if err := json.Unmarshal(server.Requests()[0].Raw, &sent); err != nil {
				t.Fatal(err)
			}
			var tools []string
			for _, tool := range sent.Tools {
				tools = append(tools, map[bool]string{true: "~"}[tool.Later]+tool.Name+map[bool]string{true: "+"}[tool.Cache != nil])
			}
			if got := strings.Join(tools, " "); got != test.tools {
				t.Errorf("the tools are %q, want %q", got, test.tools)
			}
			if got := string(sent.Messages[len(sent.Messages)-1].Content); !strings.HasPrefix(got, test.result) {
				t.Errorf("the last message is %s, want %s", got, test.result)
			}
		})
	}
}

// TestDeferredTools_Refused_AreSentInFull covers all model names. Later requests to the model have
// no deferred tools.
func TestDeferredTools_Refused_AreSentInFull(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.EchoScript)
	server.NoDeferring = true
	p := open(t, Options{BaseURL: base, APIKey: "k"})
	for range 2 {
		if _, _, err := ask(p, found()); err != nil {
			t.Fatal(err)
		}
	}
	if sent := server.Requests(); len(sent) != 2 || strings.Contains(string(sent[0].Raw), "defer_loading") {
		t.Errorf("%d requests were taken: %s", len(sent), sent[0].Raw)
	}
	if !p.noDeferredTools.Get(found().Model) {
		t.Error("it is not remembered")
	}
}

// TestFoundTool_PrefixStaysCached checks that everything before an opened tool is read from the
// cache.
func TestFoundTool_PrefixStaysCached(t *testing.T) {
	server, base := modeltest.NewServer(t, modeltest.EchoScript)
	p := open(t, Options{BaseURL: base, APIKey: "k"})
	req := found()
	tools, messages := req.Tools, req.Messages
	req.Tools, req.Messages = tools[:2], messages[:1]
	if _, _, err := ask(p, req); err != nil {
		t.Fatal(err)
	}
	req.Tools, req.Messages = slices.Concat(tools[:2], tools[2:3]), messages
	answer, _, err := ask(p, req)
	if err != nil {
		t.Fatal(err)
	}
	if first := server.TotalUsage().CacheWrite - answer.Usage.CacheWrite; answer.Usage.CacheRead != first ||
		first < 1024 {
		t.Errorf("%d tokens were read from the cache, and %d were written to it before", answer.Usage.CacheRead, first)
	}
}
