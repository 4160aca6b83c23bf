package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// chain joins messages with commas.
func chain(messages ...string) string { return strings.Join(messages, ",") }

// userMessage returns a user message with blocks.
func userMessage(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func spoke(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func markedText(marker string) string {
	return `{"type":"text","text":"x","cache_control":` + marker + `}`
}

func tool(name, schema, more string) string {
	return `{"name":"` + name + `","input_schema":` + schema + more + `}`
}

const (
	five   = `{"type":"ephemeral"}`
	hour   = `{"type":"ephemeral","ttl":"1h"}`
	useA   = `{"type":"tool_use","id":"a","name":"f","input":{}}`
	useB   = `{"type":"tool_use","id":"b","name":"f","input":{}}`
	sawA   = `{"type":"tool_result","tool_use_id":"a","content":"ok"}`
	sawB   = `{"type":"tool_result","tool_use_id":"b"}`
	thinks = `"thinking":{"type":"enabled","budget_tokens":1024},`
	object = `{"type":"object"}`

	useFind = `{"type":"tool_use","id":"s","name":"find","input":{}}`
)

// laterTool has two tools: a tool that finds tools, and a deferred tool.
var laterTool = `"tools":[` + tool("find", object, "") + "," + tool("f", object, `,"defer_loading":true`) + `],`

// refersTo returns a result that refers to a deferred tool.
func refersTo(name string) string {
	return `{"type":"tool_result","tool_use_id":"s","content":[{"type":"tool_reference","tool_name":"` + name + `"}]}`
}

// messagesCases are requests to the Messages API. says is a part of the refusal; "" means accepted.
var messagesCases = []struct{ name, body, says string }{
	{"a message", messagesRequestOf("", asks), ""},
	{"a call and its result", messagesRequestOf(oneTool, chain(asks, uses, answers)), ""},
	{"not JSON", `{"model"`, "not valid JSON"},
	{"more after it", messagesRequestOf("", asks) + "{}", "more follows"},
	{"an unknown parameter", messagesRequestOf(`"temprature":1,`, asks), "temprature: Extra inputs are not permitted"},
	{"a parameter of another type", messagesRequestOf(`"system":7,`, asks), "system: Input should be a valid string"},
	{"no model", `{"max_tokens":1,"messages":[` + asks + `]}`, "model: Field required"},
	{"no messages", `{"model":"m","max_tokens":1}`, "messages: Field required"},
	{"an empty list", messagesRequestOf("", ""), "at least one message"},
	{"no max_tokens", `{"model":"m","messages":[` + asks + `]}`, "max_tokens: Field required"},
	{"max_tokens of nothing", `{"model":"m","max_tokens":0,"messages":[` + asks + `]}`, "greater than or equal to 1"},

	{"the system as a message", messagesRequestOf("", chain(`{"role":"system","content":"x"}`, asks)),
		"'user' or 'assistant'"},
	{"the system as blocks", messagesRequestOf(`"system":[{"type":"text","text":"x"}],`, asks), ""},
	{"the system as an image", messagesRequestOf(`"system":[{"type":"image","source":{}}],`, asks),
		"can only be in `user`"},
	{"an empty system block", messagesRequestOf(`"system":[{"type":"text","text":""}],`, asks), "must be non-empty"},
	{"a message with an unknown key", messagesRequestOf("", `{"role":"user","content":"x","id":1}`),
		"messages.0.id: Extra inputs"},
	{"a message without content", messagesRequestOf("", `{"role":"user"}`), "messages.0.content: Field required"},
	{"content of nothing", messagesRequestOf("", `{"role":"user","content":""}`), "must have non-empty content"},
	{"no blocks", messagesRequestOf("", userMessage()), "must have non-empty content"},
	{"content that is null", messagesRequestOf("", `{"role":"user","content":null}`), "valid string or a valid list"},
	{"an empty text block", messagesRequestOf("", userMessage(`{"type":"text","text":""}`)),
		"text content blocks must be non-empty"},
	{"a text block of spaces", messagesRequestOf("", userMessage(`{"type":"text","text":" \n"}`)), "non-whitespace"},
	{"an empty text block, marked",
		messagesRequestOf("", userMessage(`{"type":"text","text":"","cache_control":`+five+`}`)),
		"cache_control cannot be set for empty text blocks"},
	{"a block without a type", messagesRequestOf("", userMessage(`{"text":"x"}`)),
		"messages.0.content.0.type: Field required"},
	{"a block of nothing known", messagesRequestOf("", userMessage(`{"type":"smell"}`)), "Input tag 'smell'"},
	{"a block with an unknown key", messagesRequestOf("", userMessage(`{"type":"text","text":"x","signature":"y"}`)),
		"messages.0.content.0.text.signature: Extra inputs"},
	{"a block that is no object", messagesRequestOf("", userMessage(`7`)), "valid dictionary"},
	{"an image", messagesRequestOf("", userMessage(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR42mP4z8CAFTEMpAQAMygv0TfMha4AAAAASUVORK5CYII="}}`)), ""},

	{"a deferred tool, and a result that refers to it", messagesRequestOf(laterTool,
		chain(asks, spoke(useFind), userMessage(refersTo("f")), spoke(useA), userMessage(sawA))), ""},
	{"no tool that is not deferred", messagesRequestOf(`"tools":[`+tool("f", object, `,"defer_loading":true`)+`],`,
		asks), "All tools cannot be deferred"},
	{"a reference to nothing", messagesRequestOf(laterTool, chain(asks, spoke(useFind), userMessage(refersTo("g")))),
		"Tool reference 'g' not found in available tools"},
	{"a reference beside a text", messagesRequestOf(laterTool,
		chain(asks, spoke(useFind), userMessage(refersTo(`f"},{"type":"text","text":"x`)))), "cannot be mixed"},
	{"a reference outside of a result", messagesRequestOf(laterTool,
		userMessage(`{"type":"tool_reference","tool_name":"f"}`)), "can only be in `tool_result`"},
	{"a deferred tool with a marker", messagesRequestOf(`"tools":[`+tool("find", object, "")+","+tool("f", object,
		`,"defer_loading":true,"cache_control":`+five)+`],`, asks), "cannot have `cache_control`"},
	{"a call of a deferred tool to which nothing refers", messagesRequestOf(laterTool,
		chain(asks, spoke(useA), userMessage(sawA))), "is deferred, and nothing refers to it"},
	{"a deferred tool of an old model", strings.Replace(messagesRequestOf(laterTool, asks), `"m"`,
		`"claude-opus-4-1-20250805"`, 1), "defer_loading: Extra inputs are not permitted"},

	{"the assistant first", messagesRequestOf("", chain(spoke(`{"type":"text","text":"x"}`), asks)),
		"first message must use"},
	{"two of a role", messagesRequestOf("", chain(asks, asks)), "roles must alternate"},
	{"the assistant last", messagesRequestOf("", chain(asks, spoke(`{"type":"text","text":"x"}`))), "prefill"},

	{"a call by the user", messagesRequestOf("", userMessage(useA)),
		"`tool_use` blocks can only be in `assistant` messages"},
	{"a call without input",
		messagesRequestOf("", chain(asks, spoke(`{"type":"tool_use","id":"a","name":"f"}`), userMessage(sawA))),
		"input: Field required"},
	{"a call whose input is text",
		messagesRequestOf("", chain(asks, spoke(strings.Replace(useA, `{}`, `"{}"`, 1)), userMessage(sawA))),
		"tool_use.input: Input should be a valid dictionary"},
	{"a call with an id that cannot be",
		messagesRequestOf("", chain(asks, spoke(strings.Replace(useA, `"a"`, `"a b"`, 1)), userMessage(sawA))),
		"tool_use.id: String should match pattern"},
	{"a call with a name that cannot be", messagesRequestOf("",
		chain(asks, spoke(strings.Replace(useA, `"f"`, `"f.g"`, 1)), userMessage(sawA))),
		"tool_use.name: String should match pattern"},
	{"two calls, two results", messagesRequestOf("", chain(asks, spoke(useA, useB),
		userMessage(sawB, sawA, `{"type":"text","text":"x"}`))), ""},
	{"a call without a result", messagesRequestOf("", chain(asks, spoke(useA), asks)),
		"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a."},
	{"one result of two", messagesRequestOf("", chain(asks, spoke(useA, useB), userMessage(sawA))),
		"immediately after: b."},
	{"results not first",
		messagesRequestOf("", chain(asks, spoke(useA), userMessage(`{"type":"text","text":"x"}`, sawA))),
		"immediately after: a."},
	{"a result too late",
		messagesRequestOf("", chain(asks, spoke(useA), asks, spoke(`{"type":"text","text":"x"}`), userMessage(sawA))),
		"immediately after: a."},
	{"a result without a call", messagesRequestOf("", userMessage(sawA)),
		"messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a."},
	{"a result twice", messagesRequestOf("", chain(asks, spoke(useA), userMessage(sawA, sawA))), "must have a single result"},
	{"an id twice", messagesRequestOf("", chain(asks, spoke(useA), userMessage(sawA), spoke(useA), userMessage(sawA))),
		"`tool_use` ids must be unique"},
	{"a result of an empty text block", messagesRequestOf("", chain(asks, spoke(useA),
		userMessage(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}`))), "must be non-empty"},
	{"a result within a result", messagesRequestOf("", chain(asks, spoke(useA),
		userMessage(`{"type":"tool_result","tool_use_id":"a","content":[`+sawA+`]}`))), "'document', 'image', 'text'"},

	{"a tool with a bad name", messagesRequestOf(`"tools":[`+tool("f f", object, "")+`],`, asks),
		"tools.0.custom.name: String should match"},
	{"a tool of a long name", messagesRequestOf(`"tools":[`+tool(strings.Repeat("f", 129), object, "")+`],`, asks),
		"tools.0.custom.name"},
	{"a tool of 128 letters", messagesRequestOf(`"tools":[`+tool(strings.Repeat("f", 128), object, "")+`],`, asks), ""},
	{"tools of one name", messagesRequestOf(`"tools":[`+tool("f", object, "")+","+tool("f", object, "")+`],`, asks),
		"Tool names must be unique"},
	{"a tool without a schema", messagesRequestOf(`"tools":[{"name":"f"}],`, asks), "input_schema: Field required"},
	{"a schema of no type", messagesRequestOf(`"tools":[`+tool("f", `{}`, "")+`],`, asks), "input_schema.type: Field required"},
	{"a schema of a list", messagesRequestOf(`"tools":[`+tool("f", `{"type":"array"}`, "")+`],`, asks), "Input should be 'object'"},
	{"a tool in OpenAI's form", messagesRequestOf(`"tools":[{"type":"function","function":{}}],`, asks), "function: Extra inputs"},
	{"a choice without tools", messagesRequestOf(`"tool_choice":{"type":"auto"},`, asks), "while providing tools"},
	{"a choice of nothing there", messagesRequestOf(oneTool+`"tool_choice":{"type":"tool","name":"g"},`, asks), "Tool 'g' not found"},

	{"four markers", messagesRequestOf(`"system":[`+markedText(hour)+`,`+markedText(hour)+`],`,
		userMessage(markedText(hour), markedText(five))), ""},
	{"five markers", messagesRequestOf(`"system":[`+markedText(five)+`,`+markedText(five)+`],`,
		userMessage(markedText(five), markedText(five), markedText(five))),
		"A maximum of 4 blocks with cache_control may be provided. Found 5."},
	{"a marker at the top", messagesRequestOf(`"cache_control":`+five+`,`, asks), ""},
	{"a marker of another kind", messagesRequestOf("", userMessage(markedText(`{"type":"eternal"}`))), "Input should be 'ephemeral'"},
	{"a marker of another time", messagesRequestOf("", userMessage(markedText(`{"type":"ephemeral","ttl":"2h"}`))), "'5m' or '1h'"},
	{"short before long", messagesRequestOf(`"tools":[`+tool("f", object, `,"cache_control":`+five)+`],`, userMessage(markedText(hour))),
		"messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after"},

	{"thinking", messagesRequestOf(thinks, asks), ""},
	{"thinking as it likes", messagesRequestOf(`"thinking":{"type":"adaptive"},`, asks), ""},
	{"thinking between calls", messagesRequestOf(`"thinking":{"type":"between_tools"},"output_config":{"effort":"low"},`, asks), ""},
	{"an effort that cannot be", messagesRequestOf(`"output_config":{"effort":"little"},`, asks), "output_config.effort"},
	{"thinking as it likes, in a turn that began without", messagesRequestOf(`"thinking":{"type":"adaptive"},`+oneTool,
		chain(asks, uses, answers)), ""},
	{"no thinking", messagesRequestOf(`"thinking":{"type":"disabled"},"temperature":0,`, asks), ""},
	{"a budget that is too small", messagesRequestOf(`"thinking":{"type":"enabled","budget_tokens":1023},`, asks),
		"greater than or equal to 1024"},
	{"a budget of all", messagesRequestOf(`"thinking":{"type":"enabled","budget_tokens":4096},`, asks), "`max_tokens` must be greater"},
	{"no budget", messagesRequestOf(`"thinking":{"type":"enabled"},`, asks), "budget_tokens: Field required"},
	{"thinking of another type", messagesRequestOf(`"thinking":{"type":"deep"},`, asks), "Input tag 'deep'"},
	{"thinking with a temperature", messagesRequestOf(thinks+`"temperature":0.5,`, asks), "`temperature` may only be set to 1"},
	{"thinking with temperature 1", messagesRequestOf(thinks+`"temperature":1,"top_p":0.95,`, asks), ""},
	{"thinking with top_k", messagesRequestOf(thinks+`"top_k":5,`, asks), "`top_k` must be unset"},
	{"thinking with a small top_p", messagesRequestOf(thinks+`"top_p":0.5,`, asks), "`top_p`"},
	{"thinking and a tool that must be used", messagesRequestOf(thinks+oneTool+`"tool_choice":{"type":"any"},`, asks),
		"forces tool use"},
	{"a temperature that is too high", messagesRequestOf(`"temperature":1.5,`, asks), "temperature: Input should be"},
	{"a thought that nobody had", messagesRequestOf("", chain(asks, spoke(`{"type":"thinking","thinking":"x","signature":"y"}`,
		`{"type":"text","text":"x"}`), asks)), "messages.1.content.0: Invalid `signature` in `thinking` block"},
	{"a hidden thought that nobody had", messagesRequestOf("", chain(asks, spoke(`{"type":"redacted_thinking","data":"y"}`,
		`{"type":"text","text":"x"}`), asks)), "Invalid `data` in `redacted_thinking` block"},
	{"a thought without a signature", messagesRequestOf("", chain(asks, spoke(`{"type":"thinking","thinking":"x"}`), asks)),
		"signature: Field required"},
	{"thinking on, and a turn that began without", messagesRequestOf(thinks+oneTool, chain(asks, uses, answers)),
		"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`"},
	{"thinking on, after turns that began without", messagesRequestOf(thinks+oneTool, chain(asks, uses, answers,
		spoke(`{"type":"text","text":"x"}`), asks)), ""},
}

func TestMessages_AreAsStrictAsAnthropic(t *testing.T) {
	_, base := NewServer(t, AnswerOKScript)
	for _, c := range messagesCases {
		t.Run(c.name, func(t *testing.T) {
			r := postMessages(t, base, c.body)
			if c.says == "" && r.status == 200 {
				return
			}
			if r.status != 400 || c.says == "" || !strings.Contains(text(r.object(t), "error.message"), c.says) ||
				text(r.object(t), "error.type") != "invalid_request_error" {
				t.Errorf("HTTP %d: %s", r.status, r.body)
			}
		})
	}
}

func TestLimits_AreEnforced(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Limits, s.Models = Limits{Context: 5000, Output: 4096, Body: 30_000}, []string{"m"}
	long := func(n int) string { return fmt.Sprintf(`{"role":"user","content":%q}`, strings.Repeat("x", n)) }
	for _, c := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"all that fits", messagesRequestOf("", long(3000)), 200, ""},
		{"no room for the answer", messagesRequestOf("", long(4000)), 400,
			"input length and `max_tokens` exceed context limit: 1007 + 4096 > 5000"},
		{"too long", messagesRequestOf("", long(20_000)), 400, "prompt is too long: 5007 tokens > 5000 maximum"},
		{"too large", messagesRequestOf("", long(30_000)), 413, "Request exceeds the maximum size"},
		{"too much to say", strings.Replace(messagesRequestOf("", asks), "4096", "4097", 1), 400,
			"max_tokens: 4097 > 4096, which is the maximum"},
		{"another model", strings.Replace(messagesRequestOf("", asks), `"m"`, `"n"`, 1), 404, "model: n"},
	} {
		r := postMessages(t, base, c.body)
		if r.status != c.status || !strings.Contains(r.body, c.says) {
			t.Errorf("%s: %d %s", c.name, r.status, r.body)
		}
	}
	if status, body := post(t, base, "", chatRequest(long(20_000))); status != 400 ||
		!strings.Contains(body, "context_length_exceeded") {
		t.Errorf("OpenAI, too long: %d %s", status, body)
	}
	if status, _ := post(t, base, "", chatRequest(long(30_000))); status != 413 {
		t.Errorf("OpenAI, too large: %d", status)
	}
}

// askThinking sends a request with thinking. It returns the blocks of the answer in the form in
// which a client sends them back.
func askThinking(t *testing.T, base, messages string) (blocks []map[string]any) {
	t.Helper()
	body := strings.Replace(messagesRequestOf(thinks+oneTool, messages), `"stream":true,`, "", 1)
	for _, b := range postMessages(t, base, body).object(t)["content"].([]any) {
		blocks = append(blocks, b.(map[string]any))
	}
	return blocks
}

func TestThinking_MustGoBackUnchanged(t *testing.T) {
	_, base := NewServer(t, func(r Request) Answer {
		thoughts := map[bool]string{false: "Hm.", true: RedactedThinkingPrefix}
		if len(r.AnsweredCalls()) > 0 {
			return Answer{Text: "Done."}
		}
		return Answer{Thinking: thoughts[r.NewestUserMessage() == "hide"], Text: "Let me see.",
			Calls: []Call{{ID: "a", Name: "f", Args: "{}"}}}
	})
	for _, asked := range []string{asks, `{"role":"user","content":"hide"}`} {
		blocks := askThinking(t, base, asked)
		if len(blocks) != 3 || !isThought(block{Type: text(blocks[0], "type")}) {
			t.Fatalf("got %v", blocks)
		}
		back := func(change func([]map[string]any) []map[string]any) reply {
			fresh := askThinking(t, base, asked)
			raw, err := json.Marshal(change(fresh))
			if err != nil {
				t.Fatal(err)
			}
			return postMessages(t, base, messagesRequestOf(thinks+oneTool,
				chain(asked, `{"role":"assistant","content":`+string(raw)+`}`, userMessage(sawA))))
		}
		for name, c := range map[string]struct {
			change func([]map[string]any) []map[string]any
			says   string
		}{
			"as it was": {func(b []map[string]any) []map[string]any { return b }, ""},
			"changed": {func(b []map[string]any) []map[string]any {
				for _, key := range []string{"thinking", "data"} {
					if b[0][key] != nil {
						b[0][key] = "Ha."
					}
				}
				return b
			}, "Invalid `"},
			"left out": {func(b []map[string]any) []map[string]any { return b[1:] }, "Expected `thinking`"},
			"moved": {func(b []map[string]any) []map[string]any { return []map[string]any{b[1], b[0], b[2]} },
				"cannot be modified"},
			"elsewhere":  {func(b []map[string]any) []map[string]any { return []map[string]any{b[0], b[2]} }, "Invalid `"},
			"said twice": {func(b []map[string]any) []map[string]any { return append(b[:1:1], b...) }, "cannot be modified"},
		} {
			r := back(c.change)
			if (r.status == 200) != (c.says == "") || !strings.Contains(r.body, c.says) {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			}
		}
	}
}

func TestThinkingType_UnfitForModel_IsRefused(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.ThinkingTypes = []string{"adaptive"}
	for more, want := range map[string]string{
		"": `"signature_delta"`, `"thinking":{"type":"adaptive"},`: `"signature_delta"`,
		`"thinking":{"type":"disabled"},`: `\"thinking.type.disabled\" is not supported for this model`,
		thinks:                            "is not supported",
	} {
		if r := postMessages(t, base, messagesRequestOf(more, asks)); !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", more, r.status, r.body)
		}
	}
}

func TestThinking_StreamHasSignature(t *testing.T) {
	_, base := NewServer(t, func(Request) Answer { return Answer{Thinking: "First, the sum.", Text: "4", Chunk: 4} })
	thought, signature := "", ""
	for _, ev := range postMessages(t, base, messagesRequestOf(thinks, asks)).events(t) {
		thought += text(ev.data, "delta.thinking")
		signature += text(ev.data, "delta.signature")
	}
	if thought != "First, the sum." || !isSigned(signature, thought, "4") {
		t.Errorf("thought %q, signed %q", thought, signature)
	}
	if r := postMessages(t, base, messagesRequestOf("", asks)); strings.Contains(r.body, "thinking") {
		t.Errorf("thinking where it was not wanted: %s", r.body)
	}
}
