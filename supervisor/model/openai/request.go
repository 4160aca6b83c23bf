package openai

import (
	"encoding/json"
	"fmt"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// request is the JSON body of POST chat/completions. Empty fields are left out.
type request struct {
	Model               string             `json:"model"`
	Messages            []message          `json:"messages"`
	Tools               []tool             `json:"tools,omitempty"`
	ParallelCalls       bool               `json:"parallel_tool_calls,omitempty"`
	Stream              bool               `json:"stream"`
	StreamOptions       *streamOptions     `json:"stream_options,omitempty"`
	MaxTokens           int                `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string             `json:"reasoning_effort,omitempty"`
	Reasoning           *reasoning         `json:"reasoning,omitempty"`
	Thinking            *thinkingSwitch    `json:"thinking,omitempty"`
	TemplateArguments   *templateArguments `json:"chat_template_kwargs,omitempty"`
	CacheKey            string             `json:"prompt_cache_key,omitempty"`
	CacheRetention      string             `json:"prompt_cache_retention,omitempty"`

	textTools  bool       // tools are described in the system text, and called in the text of answers
	limitState limitState // the reaction if the output limit is refused
	foreign    func(*request)
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type reasoning struct {
	Effort string `json:"effort"`
}

type thinkingSwitch struct {
	Type string `json:"type"` // switches thinking: enabled or disabled
}

type templateArguments struct {
	EnableThinking  bool   `json:"enable_thinking"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
}

type message struct {
	Role string `json:"role"`
	// a string, or []part; nil if the assistant only calls tools
	Content    any        `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	// parts that the server wants back, see returned.go
	ReasoningContent *string         `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	ExtraContent     json.RawMessage `json:"extra_content,omitempty"`

	kept *protocol.Thinking // the parts that the server wants back, as they were kept; nil if there are none
	own  bool               // the requested model made the message, which has its returned parts
}

type cacheControl struct {
	Type string `json:"type"` // kind of the cache mark, always ephemeral
	TTL  string `json:"ttl,omitempty"`
}

type toolCall struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"` // kind of the call, always function
	Function     functionCall    `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // arguments of the call, as JSON text
}

type tool struct {
	Type     string   `json:"type"` // kind of the tool, always function
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// newRequest returns the endpoint's request, without the parts that the model has refused before.
func (p *Provider) newRequest(req modelcall.Request) (*request, error) {
	messages, err := messagesOf(req)
	if err != nil {
		return nil, err
	}
	r := &request{
		Model: req.Model, Messages: messages, Tools: toolsOf(req.Tools),
		Stream: true, StreamOptions: &streamOptions{IncludeUsage: true},
	}
	r.ParallelCalls = p.server.parallel && len(r.Tools) > 0
	p.server.think(r, req.Thinking)
	p.limit(r, req.Output)
	if p.server.cache != nil && req.Cache > 0 {
		p.server.cache(r, req)
	}
	p.returnParts(r)
	p.dropLearned(r)
	return r, nil
}

func toolsOf(tools []protocol.Tool) []tool {
	var out []tool
	for _, t := range tools {
		out = append(out, tool{"function", function{remote.ValidToolName(t.Name), t.Description, t.Schema}})
	}
	return out
}

// wireToolNames maps names in the request to the tools' own names, where they differ.
func wireToolNames(tools []protocol.Tool) map[string]string {
	var names map[string]string
	for _, t := range tools {
		if wire := remote.ValidToolName(t.Name); wire != t.Name {
			if names == nil {
				names = map[string]string{}
			}
			names[wire] = t.Name
		}
	}
	return names
}

// roleHandlers has a function for each role. It turns a message of the transcript into messages of
// the API, perhaps none.
var roleHandlers = map[protocol.Role]func(modelcall.Request, protocol.Message) []message{
	protocol.RoleUser:      userMessages,
	protocol.RoleAssistant: assistantMessages,
	protocol.RoleTool:      toolMessages,
}

func messagesOf(req modelcall.Request) ([]message, error) {
	var out []message
	var pictures []part // pictures of earlier results; they are sent after the last result
	if req.System != "" {
		out = append(out, message{Role: "system", Content: req.System})
	}
	for i, m := range req.Messages {
		shape, exists := roleHandlers[m.Role]
		if !exists {
			return nil, fmt.Errorf("%w: message %d: role %q", remote.ErrUnsendableRequest, i, m.Role)
		}
		if m.Role != protocol.RoleTool {
			out, pictures = append(out, pictureMessage(pictures)...), nil
		}
		out = append(out, shape(req, m)...)
		for _, p := range m.Parts {
			if p.Result != nil {
				pictures = append(pictures, resultParts(req, p.Result)...)
			}
		}
	}
	return append(out, pictureMessage(pictures)...), nil
}

// pictureMessage returns a message with the pictures of results; nil if there are none.
func pictureMessage(parts []part) []message {
	if len(parts) == 0 {
		return nil
	}
	return []message{{Role: "user", Content: simplestContent(parts)}}
}

func userMessages(req modelcall.Request, m protocol.Message) []message {
	return []message{{Role: "user", Content: userContent(req, m)}}
}

// assistantMessages leaves out an empty message, which endpoints refuse. It also leaves out
// thinking that belongs to another API.
func assistantMessages(_ modelcall.Request, m protocol.Message) []message {
	out := message{Role: "assistant"}
	if text := m.Text(); text != "" {
		out.Content = text
	}
	for _, c := range m.ToolCalls() {
		out.ToolCalls = append(out.ToolCalls,
			toolCall{ID: c.ID, Type: "function", Function: functionCall{remote.ValidToolName(c.Name),
				argumentsText(c)}})
	}
	for _, p := range m.Parts {
		if p.Thinking != nil && p.Thinking.Format == ThinkingFormat {
			out.kept = p.Thinking
		}
	}
	if out.Content == nil && out.ToolCalls == nil {
		return nil
	}
	return []message{out}
}

// argumentsText returns a call's arguments as text. It is never empty, because OpenAI requires an
// object.
func argumentsText(c protocol.ToolCall) string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}

// toolMessages returns a message for each result. The API has no field for a tool's failure, so the
// text tells the failure.
func toolMessages(_ modelcall.Request, m protocol.Message) []message {
	var out []message
	for _, part := range m.Parts {
		if part.Result == nil {
			continue
		}
		text := part.Result.Text
		if part.Result.Failed {
			text = "error: " + text
		}
		out = append(out, message{Role: "tool", Content: text, ToolCallID: part.Result.Call})
	}
	return out
}

// text returns the text of m's content.
func (m message) text() string {
	if text, is := m.Content.(string); is {
		return text
	}
	var text string
	if parts, is := m.Content.([]part); is {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}
