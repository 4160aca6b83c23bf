package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// messagesBody is the JSON body of POST /v1/messages. Other fields are refused.
type messagesBody struct {
	Model         string            `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	MaxTokens     *int              `json:"max_tokens"`
	System        json.RawMessage   `json:"system"`
	Tools         []json.RawMessage `json:"tools"`
	ToolChoice    *toolChoice       `json:"tool_choice"`
	Thinking      *thinkingParam    `json:"thinking"`
	Stream        bool              `json:"stream"`
	Temperature   *float64          `json:"temperature"`
	TopP          *float64          `json:"top_p"`
	TopK          *int              `json:"top_k"`
	StopSequences []string          `json:"stop_sequences"`
	Metadata      struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
	CacheControl *marker `json:"cache_control"`
	OutputConfig struct {
		Effort string          `json:"effort"`
		Format json.RawMessage `json:"format"`
	} `json:"output_config"`
}

type toolChoice struct {
	Type            string `json:"type"` // kind of choice: auto, any, tool or none
	Name            string `json:"name"`
	DisableParallel bool   `json:"disable_parallel_tool_use"`
}

type thinkingParam struct {
	Type    string `json:"type"` // kind of thinking: enabled, adaptive, between_tools or disabled
	Budget  *int   `json:"budget_tokens"`
	Display string `json:"display"`
}

func (t *thinkingParam) on() bool { return t != nil && t.Type != "disabled" }

type messageTool struct {
	Type         string          `json:"type"` // kind of tool: "" or custom
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       bool            `json:"strict"`
	DeferLoading bool            `json:"defer_loading"`
	CacheControl *marker         `json:"cache_control"`
}

// messageParam is a message of a request.
type messageParam struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`

	blocks []block
}

// messagesRequest is a decoded request.
type messagesRequest struct {
	messagesBody
	system []block
	tools  []messageTool
	params []messageParam
}

// decodeStrict decodes a JSON object and refuses unknown fields, as Anthropic does. at is the
// object's path, for errors.
func decodeStrict(raw []byte, into any, at string) *refusal {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err := dec.Token(); err != io.EOF {
			return bad("The request body is not valid JSON: more follows it")
		}
		return nil
	}
	if at != "" {
		at += "."
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return bad("%s%s: Extra inputs are not permitted", at, strings.Trim(key, `"`))
	}
	if wrong, typed := err.(*json.UnmarshalTypeError); typed {
		return bad("%s%s: Input should be a valid %s", at, wrong.Field, wrong.Type)
	}
	return bad("The request body is not valid JSON: %v", err)
}

// decodeMessages reads a request in Anthropic's format. It refuses everything that Anthropic
// refuses.
func (s *Server) decodeMessages(_ http.Header, raw []byte) (*exchange, *refusal) {
	l := &messagesRequest{}
	if refused := decodeStrict(raw, &l.messagesBody, ""); refused != nil {
		return nil, refused
	}
	for _, check := range messagesChecks {
		if refused := check(s, l); refused != nil {
			return nil, refused
		}
	}
	e := &exchange{Request: l.plain(), server: s, prompt: l.prompt(), usage: true, turnThought: l.turnThought() || l.betweenTools()}
	e.Format = FormatAnthropic
	if refused := s.checkPictures(e); refused != nil {
		return nil, refused
	}
	return e, s.checkSize(l, e.prompt.tokens())
}

// messagesChecks run in order. Later checks rely on earlier checks.
var messagesChecks = []func(*Server, *messagesRequest) *refusal{
	checkHead, checkModel, readSystem, readTools, readParams, checkThinking, checkSampling, checkMarkers, checkRoles, checkUses,
	checkDeferred, checkThoughts, checkTurnBegin,
}

func checkHead(_ *Server, l *messagesRequest) *refusal {
	return firstRefusal(
		badIf(l.Model == "", "model: Field required"),
		badIf(l.Messages == nil, "messages: Field required"),
		badIf(len(l.Messages) == 0, "messages: at least one message is required"),
		badIf(l.MaxTokens == nil, "max_tokens: Field required"),
		badIf(l.MaxTokens != nil && *l.MaxTokens < 1, "max_tokens: Input should be greater than or equal to 1"),
		l.CacheControl.check(""))
}

func checkModel(s *Server, l *messagesRequest) *refusal {
	if !s.has(l.Model) {
		return &refusal{status: http.StatusNotFound, text: "model: " + l.Model}
	}
	limit := s.Limits.Output
	return badIf(limit > 0 && *l.MaxTokens > limit,
		"max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", *l.MaxTokens, limit, l.Model)
}

func readSystem(_ *Server, l *messagesRequest) *refusal {
	blocks, refused := systems.of(l.System, func() ([]block, *refusal) { return readBlocks(l.System, "system", "system") })
	if refused != nil {
		return refused
	}
	for i, b := range blocks {
		if b.Type != "text" {
			return bad("system.%d.type: Input should be 'text'", i)
		}
	}
	l.system = blocks
	return nil
}

// Decoded tools, messages and system texts of earlier requests.
var (
	messageTools  memo[messageTool]
	messageParams memo[messageParam]
	systems       memo[[]block]
)

func readTools(_ *Server, l *messagesRequest) *refusal {
	seen := map[string]bool{}
	for i, raw := range l.Tools {
		t, refused := messageTools.of(raw, func() (messageTool, *refusal) { return readMessageTool(raw, i) })
		if refused = firstRefusal(refused, badIf(seen[t.Name], "tools: Tool names must be unique.")); refused != nil {
			return refused
		}
		seen[t.Name] = true
		l.tools = append(l.tools, t)
	}
	return nil
}

func readMessageTool(raw json.RawMessage, i int) (t messageTool, refused *refusal) {
	at := fmt.Sprintf("tools.%d.custom", i)
	if refused = decodeStrict(raw, &t, at); refused == nil {
		refused = t.check(at)
	}
	return t, refused
}

func (t messageTool) check(at string) *refusal {
	var schema map[string]any
	valid := json.Unmarshal(t.InputSchema, &schema) == nil && schema != nil
	return firstRefusal(
		badIf(t.Type != "" && t.Type != "custom", "%s.type: Input should be 'custom'", at),
		badIf(!useName().MatchString(t.Name), "%s.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at),
		badIf(t.InputSchema == nil, "%s.input_schema: Field required", at),
		badIf(t.DeferLoading && t.CacheControl != nil, "%s.cache_control: Tools with `defer_loading` cannot have `cache_control`", at),
		badIf(!valid, "%s.input_schema: Input should be a valid dictionary", at),
		badIf(schema["type"] == nil, "%s.input_schema.type: Field required", at),
		badIf(schema["type"] != "object", "%s.input_schema.type: Input should be 'object'", at),
		t.CacheControl.check(at))
}

func readParams(_ *Server, l *messagesRequest) *refusal {
	for i, raw := range l.Messages {
		t, refused := messageParams.of(raw, func() (messageParam, *refusal) { return readParam(raw, i) })
		if refused != nil {
			return refused
		}
		l.params = append(l.params, t)
	}
	return nil
}

func readParam(raw json.RawMessage, i int) (t messageParam, refused *refusal) {
	at := fmt.Sprintf("messages.%d", i)
	if refused = decodeStrict(raw, &t, at); refused != nil {
		return t, refused
	}
	t.blocks, refused = readBlocks(t.Content, t.Role, at+".content")
	return t, firstRefusal(
		badIf(t.Role != "user" && t.Role != "assistant", "%s.role: Input should be 'user' or 'assistant'", at),
		badIf(t.Content == nil, "%s.content: Field required", at), refused,
		badIf(len(t.blocks) == 0, "%s: all messages must have non-empty content except for the optional final assistant message",
			at))
}

// checkSize checks that prompt and answer fit the model's window.
func (s *Server) checkSize(l *messagesRequest, n int64) *refusal {
	limit, most := int64(s.Limits.Context), int64(*l.MaxTokens)
	return firstRefusal(
		badIf(limit > 0 && n > limit, "prompt is too long: %d tokens > %d maximum", n, limit),
		badIf(limit > 0 && n+most > limit, "input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input "+
			"length or `max_tokens` and try again", n, most, limit))
}

// plain returns the request in the form that scripts get.
func (l *messagesRequest) plain() Request {
	r := Request{Model: l.Model, System: plainText(l.system), Stream: l.Stream, Limit: *l.MaxTokens, Conversation: l.Metadata.UserID}
	for _, t := range l.tools {
		if !t.DeferLoading || l.refersTo(t.Name) {
			r.Tools = append(r.Tools, Tool{t.Name, t.Description, t.InputSchema})
		}
	}
	for _, t := range l.params {
		r.Messages = append(r.Messages, t.plain()...)
	}
	if l.Thinking.on() {
		r.Thinking = l.Thinking.Type
		if l.OutputConfig.Effort != "" {
			r.Thinking = l.OutputConfig.Effort
		}
		if l.Thinking.Budget != nil {
			r.Thinking = strconv.Itoa(*l.Thinking.Budget)
		}
	}
	return r.withConversation()
}

// stamp matches the line with time and kind at the start of a user's message. Scripts do not get
// this line.
var stamp = regexp.MustCompile(`\[(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d, [A-Z][^]\n]*\]\n?`)

// recap matches the quote of other conversations at the start of the first message, without stamps.
// Scripts do not get this quote.
var recap = regexp.MustCompile(`(?s)^Between the lines of equal signs are your last messages with this person ` +
	`[^\n]*\n={8,}\n.*\n={8,}\n\n`)

// withConversation sets the conversation's id if the client sent none.
func (r Request) withConversation() Request {
	for i, m := range r.Messages {
		if m.Role == "user" {
			m.Content = recap.ReplaceAllString(stamp.ReplaceAllString(m.Content, ""), "")
			r.Messages[i] = m
		}
		if r.Conversation == "" && m.Role == "user" {
			r.Conversation = m.Content
		}
	}
	return r
}

// plain returns the messages in the form that scripts get. A result that refers to tools has no
// text, so it gets the text that follows.
func (t messageParam) plain() []Message {
	var results []Message
	var referring []int // indexes of results that still need their text
	said := Message{Role: t.Role}
	for _, b := range t.blocks {
		switch {
		case b.Type == "tool_result":
			if len(b.refers) > 0 {
				referring = append(referring, len(results))
			}
			results = append(results, b.result())
		case b.Type == "text" && len(referring) > 0:
			results[referring[0]].Content, referring = b.Text, referring[1:]
		default:
			said.add(b)
		}
	}
	if len(results) > 0 && said.Content == "" && len(said.Images) == 0 {
		return results
	}
	return append(results, said)
}

func (m *Message) add(b block) {
	m.Content += b.Text
	switch b.Type {
	case "image":
		m.Images = append(m.Images, b.pictures...)
	case "thinking", "redacted_thinking":
		m.Thought = append(m.Thought, b.Thinking+b.Data)
	case "tool_use":
		m.Calls = append(m.Calls, Call{b.ID, b.Name, string(b.Input)})
	}
}

// result returns a tool message. If the tool failed, its text says so, as in OpenAI's format.
func (b block) result() Message {
	parts, _ := readBlocks(b.Content, "tool_result", "") // the content was checked before
	m := Message{Role: "tool", CallID: b.ToolUseID}
	for _, p := range parts {
		m.add(p)
	}
	if b.IsError && !strings.HasPrefix(m.Content, "error: ") {
		m.Content = "error: " + m.Content
	}
	return m
}

// prompt returns the request in the order in which the model reads it and the cache stores it.
func (l *messagesRequest) prompt() prompt {
	p := prompt{model: "anthropic/" + l.Model}
	// definitions of deferred tools; the model reads each at the result that refers to it
	definitions := map[string][]byte{}
	for i, raw := range l.Tools {
		if l.tools[i].DeferLoading {
			definitions[l.tools[i].Name] = raw
			continue
		}
		p.pieces = append(p.pieces, piece{withoutMarker("", raw), l.tools[i].CacheControl.keep()})
	}
	for _, b := range l.system {
		p.pieces = append(p.pieces, piece{withoutMarker("", b.raw), b.CacheControl.keep()})
	}
	p.messagesAt = len(p.pieces)
	p.mode = string(mustJSON([]any{l.Thinking, l.ToolChoice}))
	for _, t := range l.params {
		for _, b := range t.blocks {
			data := withoutMarker(t.Role, withPictureTokens(b.raw, b.pictures))
			for _, name := range b.refers {
				data = slices.Concat(data, definitions[name])
			}
			p.pieces = append(p.pieces, piece{data, b.CacheControl.keep()})
		}
	}
	if last := &p.pieces[len(p.pieces)-1]; last.keep == 0 {
		last.keep = l.CacheControl.keep()
	}
	return p
}
