package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// request is the JSON body of POST messages. Empty fields are left out. The fields of each type in
// this file are sorted by name.
type request struct {
	MaxTokens int64           `json:"max_tokens"`
	Messages  []message       `json:"messages"`
	Model     string          `json:"model"`
	Output    *outputConfig   `json:"output_config,omitempty"`
	Stream    bool            `json:"stream"`
	System    []*block        `json:"system,omitempty"`
	Thinking  *thinkingConfig `json:"thinking,omitempty"`
	Tools     []*tool         `json:"tools,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type thinkingConfig struct {
	Budget int64  `json:"budget_tokens,omitempty"`
	Type   string `json:"type"`
}

type message struct {
	Content []any         `json:"content"` // each is a *block, or the json.RawMessage of received thinking
	Role    protocol.Role `json:"role"`
}

// block is a part of a message: a text, image, tool_use, tool_result or, within another block,
// tool_reference.
type block struct {
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	Content      []*block        `json:"content,omitempty"`
	ID           string          `json:"id,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	IsError      bool            `json:"is_error,omitempty"`
	Name         string          `json:"name,omitempty"`
	Source       *source         `json:"source,omitempty"`
	Text         string          `json:"text,omitempty"`
	ToolName     string          `json:"tool_name,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Type         string          `json:"type"`
}

// source is the data of an image block.
type source struct {
	Data      []byte `json:"data"`
	MediaType string `json:"media_type"`
	Type      string `json:"type"` // always base64
}

type tool struct {
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	DeferLoading bool            `json:"defer_loading,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Name         string          `json:"name"`
}

type cacheControl struct {
	TTL  string `json:"ttl,omitempty"`
	Type string `json:"type"` // always ephemeral
}

func textBlock(text string) *block { return &block{Type: "text", Text: text} }

// encode returns the JSON of a request. Equal transcripts give equal bytes, so that the endpoint
// finds the prefix in its cache. Only the cache markers move.
func encode(req modelcall.Request, form thinkingForm, maxTokens int64) ([]byte, error) {
	later := deferredNames(req)
	messages, err := messagesOf(req, form, later)
	if err != nil {
		return nil, err
	}
	r := &request{Model: req.Model, MaxTokens: maxTokens, Messages: messages, Tools: toolsOf(req.Tools, later), Stream: true}
	if form.kind != "" {
		r.Thinking = &thinkingConfig{Type: form.kind, Budget: form.budget}
	}
	if form.effort != "" {
		r.Output = &outputConfig{Effort: form.effort}
	}
	if !blank(req.System) {
		r.System = []*block{textBlock(req.System)}
	}
	r.markCache(req.Cache, req.Shared)
	return remote.EncodeRequest(r)
}

// toolsOf returns tools in the API's form. Deferred tools come last, because the last of the other
// tools has a cache marker.
func toolsOf(tools []protocol.Tool, later map[string]bool) []*tool {
	var out, deferred []*tool
	for _, t := range tools {
		made := &tool{Name: t.Name, InputSchema: t.Schema, DeferLoading: later[t.Name]}
		if len(t.Schema) == 0 {
			made.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		if !blank(t.Description) {
			made.Description = t.Description
		}
		if made.DeferLoading {
			deferred = append(deferred, made)
			continue
		}
		out = append(out, made)
	}
	return append(out, deferred...)
}

// markCache sets the cache markers: after the tools, after the system text, and after each of the
// last two user messages. The older message had a marker in the previous request too. If other
// requests share the beginning of the first message, its shared blocks have the markers instead.
// The API allows four markers.
func (r *request) markCache(keep time.Duration, shared int) {
	if keep <= 0 {
		return
	}
	marker := &cacheControl{Type: "ephemeral", TTL: "5m"}
	if keep > 5*time.Minute {
		marker.TTL = "1h"
	}
	for _, t := range slices.Backward(r.Tools) {
		if !t.DeferLoading { // the API allows no marker on a deferred tool
			t.CacheControl = marker
			break
		}
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = marker
	}
	if shared > 0 {
		for _, content := range r.Messages[0].Content[:min(shared, len(r.Messages[0].Content))] {
			if b, is := content.(*block); is {
				b.CacheControl = marker
			}
		}
		return
	}
	left := 2
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		m := r.Messages[i]
		if last, is := m.Content[len(m.Content)-1].(*block); is && m.Role == protocol.RoleUser {
			last.CacheControl = marker
			left--
		}
	}
}

// messageBuilder builds the API's messages. User and assistant must alternate.
type messageBuilder struct {
	out      []message
	results  []any             // results for the next user message, which must begin with results
	texts    []any             // texts and pictures of the next user message, after the results
	sendBack bool              // whether the model gets its own thinking back
	origin   string            // whose earlier thinking is sent back, as in protocol.Thinking; "" means any
	deferred map[string]bool   // deferred tools by name
	req      modelcall.Request // the request whose messages are converted
}

// roleHandlers has a function for each role, which adds a message of that role.
var roleHandlers = map[protocol.Role]func(*messageBuilder, protocol.Message){
	protocol.RoleUser:      (*messageBuilder).addUser,
	protocol.RoleTool:      (*messageBuilder).addUser,
	protocol.RoleAssistant: (*messageBuilder).addAssistant,
}

// messagesOf returns the messages in the API's form. It leaves out the thinking of earlier turns,
// which is not needed. The API would refuse such thinking if the text before it has changed.
func messagesOf(req modelcall.Request, form thinkingForm, later map[string]bool) ([]message, error) {
	t := messageBuilder{req: req, deferred: later, origin: form.origin}
	begin := turnStart(req.Messages)
	for i, m := range req.Messages {
		add, known := roleHandlers[m.Role]
		if !known {
			return nil, fmt.Errorf("message %d: role %q", i, m.Role)
		}
		t.sendBack = form.sendBack && i >= begin
		add(&t, m)
	}
	t.flush()
	if len(t.out) == 0 {
		return nil, errors.New("there is no message in it")
	}
	return t.out, nil
}

// turnStart returns the index of the message that started the running turn. A user's message that
// came while tools were running did not start a turn.
func turnStart(messages []protocol.Message) int {
	start := 0
	for i, m := range messages {
		if m.Role == protocol.RoleUser && (i == 0 || messages[i-1].Role == protocol.RoleAssistant &&
			len(messages[i-1].ToolCalls()) == 0) {
			start = i
		}
	}
	return start
}

func (t *messageBuilder) addUser(m protocol.Message) {
	for _, p := range m.PartsWithStamp() {
		if p.Result != nil {
			t.addResult(p.Result)
		}
		if p.Image != nil {
			t.texts = append(t.texts, pictureBlock(t.req, *p.Image))
		}
		if !blank(p.Text) {
			t.texts = append(t.texts, textBlock(p.Text))
		}
	}
}

// addAssistant adds a message of the model. It leaves out an empty message, which the API refuses.
// It joins consecutive messages of the model, because some servers do not join them.
func (t *messageBuilder) addAssistant(m protocol.Message) {
	var blocks []any
	speaks := false
	for _, p := range m.Parts {
		block, is := t.assistantBlock(p)
		if is {
			blocks = append(blocks, block)
			speaks = speaks || p.Thinking == nil
		}
	}
	if !speaks {
		return
	}
	t.flush()
	if last := len(t.out) - 1; last >= 0 && t.out[last].Role == protocol.RoleAssistant {
		t.out[last].Content = append(t.out[last].Content, blocks...)
		return
	}
	t.out = append(t.out, message{Role: protocol.RoleAssistant, Content: blocks})
}

// assistantBlock returns a part of a model's message in the API's form. ok is false for a part to
// leave out.
func (t *messageBuilder) assistantBlock(p protocol.ContentPart) (made any, ok bool) {
	switch {
	case p.Thinking != nil:
		return p.Thinking.Block, t.sendBack && isThinking(p.Thinking, t.origin)
	case p.Call != nil:
		return &block{Type: "tool_use", ID: p.Call.ID, Name: remote.ValidToolName(p.Call.Name),
			Input: remote.ParseArguments(string(p.Call.Arguments))}, true
	}
	return textBlock(p.Text), !blank(p.Text)
}

// flush adds the collected user message to the request's messages.
func (t *messageBuilder) flush() {
	if blocks := append(t.results, t.texts...); len(blocks) > 0 {
		t.out = append(t.out, message{Role: protocol.RoleUser, Content: blocks})
	}
	t.results, t.texts = nil, nil
}

// addResult adds a tool's result. A result with references may have no other content, so its text
// comes after the results.
func (t *messageBuilder) addResult(r *protocol.ToolResult) {
	references := t.references(r)
	if len(references) == 0 {
		t.results = append(t.results, resultBlock(t.req, r))
		return
	}
	t.results = append(t.results, &block{Type: "tool_result", ToolUseID: r.Call, Content: references})
	if !blank(r.Text) {
		t.texts = append(t.texts, textBlock(r.Name+": "+r.Text))
	}
}

// resultBlock returns the block for a tool's result. The API refuses empty texts, and requires a
// text if the tool failed.
func resultBlock(req modelcall.Request, r *protocol.ToolResult) *block {
	made := &block{Type: "tool_result", ToolUseID: r.Call, IsError: r.Failed}
	text := r.Text
	if r.Failed && blank(text) {
		text = textSilentFailure
	}
	if !blank(text) {
		made.Content = append(made.Content, textBlock(text))
	}
	for _, image := range r.Images {
		made.Content = append(made.Content, pictureBlock(req, image))
	}
	return made
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
