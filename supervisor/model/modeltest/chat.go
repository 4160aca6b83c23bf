package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// chatBody is the JSON body of POST chat/completions.
type chatBody struct {
	Model         string            `json:"model"`
	Messages      []json.RawMessage `json:"messages"`
	Tools         []json.RawMessage `json:"tools"`
	Stream        bool              `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int   `json:"max_tokens"`
	MaxCompletionTokens *int   `json:"max_completion_tokens"`
	ReasoningEffort     string `json:"reasoning_effort"`
	Reasoning           *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Thinking *struct {
		Type string `json:"type"`
	} `json:"thinking"`
	PromptCacheKey       string `json:"prompt_cache_key"`
	PromptCacheRetention string `json:"prompt_cache_retention"`
	User                 string `json:"user"`
}

// chatKeys are parameters that every server accepts, even if it ignores them.
var chatKeys = []string{"model", "messages", "tools", "stream", "stream_options", "max_tokens", "max_completion_tokens",
	"temperature", "top_p", "stop", "seed", "tool_choice", "parallel_tool_calls", "response_format", "user", "n",
	"frequency_penalty", "presence_penalty", "reasoning_effort", "logit_bias", "logprobs", "top_logprobs"}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
	Name       string          `json:"name"`
	returnedFields

	text   *string
	images []Picture
}

type wirePart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
	CacheControl *marker `json:"cache_control"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
	Extra *extraContent `json:"extra_content"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	} `json:"function"`
	CacheControl *marker `json:"cache_control"`
}

// toolName matches the names of functions that OpenAI accepts.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

// efforts are the allowed values of reasoning_effort.
var efforts = []string{"", "none", "minimal", "low", "medium", "high", "xhigh"}

// decodeChat reads a request in OpenAI's format. It refuses everything that the imitated server
// refuses.
func (s *Server) decodeChat(_ http.Header, raw []byte) (*exchange, *refusal) {
	var b chatBody
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, bad("We could not parse the JSON body of your request: %v", err)
	}
	if refused := s.checkParameters(keys); refused != nil {
		return nil, refused
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, bad("We could not parse the JSON body of your request: %v", err)
	}
	if refused := s.checkChat(b); refused != nil {
		return nil, refused
	}
	req, messages, refused := assemble(b)
	if refused != nil {
		return nil, refused
	}
	e := &exchange{Request: req.withConversation(), server: s, prompt: b.prompt(messages)}
	if refused := s.checkReturned(b, messages); refused != nil {
		return nil, refused
	}
	if refused := s.checkPictures(e); refused != nil {
		return nil, refused
	}
	e.usage = b.StreamOptions != nil && b.StreamOptions.IncludeUsage
	if limit := s.Limits.Context; limit > 0 && e.prompt.tokens()+int64(e.Limit) > int64(limit) {
		return nil, Failure{Class: FailurePromptTooLong}.chatOf(s, e)
	}
	return e, nil
}

// checkParameters refuses unknown parameters if the imitated server does.
func (s *Server) checkParameters(keys map[string]json.RawMessage) *refusal {
	d := s.Dialect.traits()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		known := slices.Contains(chatKeys, key) || slices.Contains(d.extraKeys, key)
		switch {
		case slices.Contains(s.Refuses, key):
			return &refusal{status: http.StatusBadRequest, code: "unsupported_parameter", param: key,
				text: "Unsupported parameter: '" + key + "' is not supported with this model."}
		case !known && d.strict:
			return &refusal{status: http.StatusBadRequest, code: "unknown_parameter", param: key,
				text: "Unrecognized request argument supplied: " + key}
		}
	}
	return nil
}

func (s *Server) checkChat(b chatBody) *refusal {
	effort := b.ReasoningEffort
	if b.Reasoning != nil {
		effort = b.Reasoning.Effort
	}
	if b.Model != "" && !s.has(b.Model) {
		return Failure{Class: FailureUnknownModel}.chat(s, b.Model)
	}
	return firstRefusal(
		badIf(b.Model == "", "you must provide a model parameter"),
		badIf(len(b.Messages) == 0, "Invalid 'messages': empty array."),
		badIf(b.StreamOptions != nil && !b.Stream, "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
		badIf(b.MaxTokens != nil && b.MaxCompletionTokens != nil,
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."),
		badIf(atMost(b) < 0, "Invalid 'max_tokens': integer below minimum value."),
		badIf(!slices.Contains(efforts, effort), "Invalid value: '%s'. Supported values are: 'none', 'minimal', 'low', 'medium', "+
			"'high', and 'xhigh'. (reasoning_effort)", effort))
}

// atMost returns the output limit in tokens. 0 means no limit, and -1 an invalid limit.
func atMost(b chatBody) int {
	for _, n := range []*int{b.MaxTokens, b.MaxCompletionTokens} {
		if n != nil && *n < 1 {
			return -1
		}
		if n != nil {
			return *n
		}
	}
	return 0
}

// Decoded tools and messages of earlier requests.
var (
	wireTools    memo[wireTool]
	wireMessages memo[wireMessage]
)

func assemble(b chatBody) (Request, []wireMessage, *refusal) {
	req := Request{Model: b.Model, Stream: b.Stream, Limit: atMost(b), Thinking: b.ReasoningEffort, Conversation: b.PromptCacheKey}
	if b.Reasoning != nil {
		req.Thinking = b.Reasoning.Effort
	}
	if b.Thinking != nil {
		req.Thinking = cmp.Or(req.Thinking, b.Thinking.Type)
	}
	if req.Conversation == "" {
		req.Conversation = b.User
	}
	for i, raw := range b.Tools {
		t, refused := wireTools.of(raw, func() (wireTool, *refusal) { return readTool(raw, i) })
		if refused != nil {
			return Request{}, nil, refused
		}
		req.Tools = append(req.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	var messages []wireMessage
	for i, raw := range b.Messages {
		m, refused := wireMessages.of(raw, func() (wireMessage, *refusal) { return readMessage(raw, i) })
		system := m.Role == "system" || m.Role == "developer"
		if refused = firstRefusal(refused, badIf(system && i > 0, "messages[%d]: the system message must come first", i)); refused != nil {
			return Request{}, nil, refused
		}
		messages = append(messages, m)
		if system {
			req.System = *m.text
			continue
		}
		req.Messages = append(req.Messages, m.plain())
	}
	return req, messages, checkPairs(req.Messages)
}

func readTool(raw json.RawMessage, i int) (t wireTool, _ *refusal) {
	var schema map[string]any
	if refused := decodeStrict(raw, &t, fmt.Sprintf("tools[%d]", i)); refused != nil {
		return t, refused
	}
	f := t.Function
	wrong := json.Unmarshal(f.Parameters, &schema) != nil || schema["type"] != "object"
	return t, firstRefusal(
		badIf(t.Type != "function", "Invalid value: '%s'. Supported values are: 'function'. (tools[%d].type)", t.Type, i),
		badIf(!toolName().MatchString(f.Name), "Invalid 'tools[%d].function.name': string does not match pattern.", i),
		badIf(wrong, "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", f.Name))
}

// requiredFields has a check for each role: whether a message has the required fields.
var requiredFields = map[string]func(wireMessage) bool{
	"system":    onlyText,
	"developer": onlyText,
	"user":      func(m wireMessage) bool { return m.text != nil && m.ToolCalls == nil && m.ToolCallID == "" },
	"assistant": func(m wireMessage) bool {
		return (m.text != nil || len(m.ToolCalls) > 0) && m.ToolCallID == "" && len(m.images) == 0
	},
	"tool": func(m wireMessage) bool {
		return m.text != nil && m.ToolCalls == nil && m.ToolCallID != "" && len(m.images) == 0
	},
}

func onlyText(m wireMessage) bool {
	return m.text != nil && m.ToolCalls == nil && m.ToolCallID == "" && len(m.images) == 0
}

func readMessage(raw json.RawMessage, i int) (m wireMessage, _ *refusal) {
	if refused := decodeStrict(raw, &m, fmt.Sprintf("messages[%d]", i)); refused != nil {
		return m, refused
	}
	if refused := m.readContent(i); refused != nil {
		return m, refused
	}
	complete, known := requiredFields[m.Role]
	if refused := firstRefusal(
		badIf(!known, "Invalid value: '%s'. (messages[%d].role)", m.Role, i),
		badIf(known && !complete(m), "Missing or superfluous parameter in messages[%d] with role '%s'.", i, m.Role)); refused != nil {
		return m, refused
	}
	for j, c := range m.ToolCalls {
		if c.ID == "" || c.Type != "function" || !toolName().MatchString(c.Function.Name) || c.Function.Arguments == nil {
			return m, bad("Invalid 'messages[%d].tool_calls[%d]'.", i, j)
		}
	}
	return m, nil
}

// readContent reads the content of a message: a string, or a list of texts and images.
func (m *wireMessage) readContent(i int) *refusal {
	var parts []wirePart
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return nil
	}
	if json.Unmarshal(m.Content, &m.text) == nil {
		return nil
	}
	if refused := decodeStrict(m.Content, &parts, fmt.Sprintf("messages[%d].content", i)); refused != nil {
		return refused
	}
	m.text = new(string)
	for j, p := range parts {
		switch {
		case p.Type == "text" && p.ImageURL == nil:
			*m.text += p.Text
		case p.Type == "image_url" && p.ImageURL != nil && p.ImageURL.URL != "":
			p, refused := readImageURL(p.ImageURL.URL)
			if refused != nil {
				refused.param = fmt.Sprintf("messages[%d].content[%d].image_url", i, j)
				return refused
			}
			m.images = append(m.images, p)
		default:
			return bad("Invalid value: '%s'. Supported values are: 'text', 'image_url'. (messages[%d].content[%d].type)",
				p.Type, i, j)
		}
	}
	if len(parts) == 0 {
		return bad("Invalid 'messages[%d].content': empty array.", i)
	}
	return nil
}

func (m wireMessage) plain() Message {
	out := Message{Role: m.Role, CallID: m.ToolCallID, Images: m.images, Thought: m.thoughts()}
	if m.text != nil {
		out.Content = *m.text
	}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, Call{c.ID, c.Function.Name, *c.Function.Arguments})
	}
	return out
}

// checkPairs checks the tool messages: each call must be answered once, right after the message
// with the call.
func checkPairs(messages []Message) *refusal {
	var open []string
	for i, m := range messages {
		if m.Role == "tool" {
			at := slices.Index(open, m.CallID)
			if at < 0 {
				return bad("Invalid parameter: messages with role 'tool' must be a response to a preceeding message "+
					"with 'tool_calls'. (messages[%d])", i)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, c := range m.Calls {
			if slices.Contains(open, c.ID) {
				return bad("Duplicate tool call id '%s' in messages[%d].", c.ID, i)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return bad("An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
			"'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	return nil
}

// prompt returns the tools and messages in order. They have no markers, because OpenAI's cache is
// automatic.
func (b chatBody) prompt(messages []wireMessage) prompt {
	p := prompt{model: "openai/" + b.Model}
	for _, raw := range b.Tools {
		p.pieces = append(p.pieces, piece{data: withoutMarker("", raw)})
	}
	p.messagesAt = len(p.pieces)
	for i, m := range messages {
		p.pieces = append(p.pieces, piece{data: withoutMarker(m.Role, withPictureTokens(b.Messages[i], m.images))})
	}
	if b.PromptCacheRetention == "24h" {
		p.keep = 24 * time.Hour
	}
	return p
}
