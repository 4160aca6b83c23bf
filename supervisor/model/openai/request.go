package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// request is the body of POST chat/completions.
type request struct {
	Model         string        `json:"model"`
	Messages      []message     `json:"messages"`
	Tools         []tool        `json:"tools,omitempty"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content,omitempty"` // absent in an assistant's message that only calls tools
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // function
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON in a string
}

type tool struct {
	Type     string   `json:"type"` // function
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// encode turns a request into OpenAI's JSON. The same transcript gives the same bytes, so that a prefix stays one.
func encode(req supervisor.ModelRequest) ([]byte, error) {
	messages, err := messagesOf(req)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err = enc.Encode(request{
		Model: req.Model, Messages: messages, Tools: toolsOf(req.Tools),
		Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
	})
	return buf.Bytes(), err
}

func toolsOf(tools []protocol.Tool) []tool {
	var out []tool
	for _, t := range tools {
		out = append(out, tool{"function", function{t.Name, t.Description, t.Schema}})
	}
	return out
}

// shapes is how each role's messages look on OpenAI's wire. One of ours may become none or several of theirs.
var shapes = map[protocol.Role]func(protocol.Message) []message{
	protocol.RoleUser:      userMessages,
	protocol.RoleAssistant: assistantMessages,
	protocol.RoleTool:      toolMessages,
}

func messagesOf(req supervisor.ModelRequest) ([]message, error) {
	var out []message
	if req.System != "" {
		out = append(out, message{Role: "system", Content: &req.System})
	}
	for i, m := range req.Messages {
		shape, known := shapes[m.Role]
		if !known {
			return nil, fmt.Errorf("message %d: role %q", i, m.Role)
		}
		out = append(out, shape(m)...)
	}
	return out, nil
}

func userMessages(m protocol.Message) []message {
	text := m.Text()
	return []message{{Role: "user", Content: &text}}
}

// assistantMessages leaves out a message that says and calls nothing: endpoints refuse it.
func assistantMessages(m protocol.Message) []message {
	out := message{Role: "assistant"}
	if text := m.Text(); text != "" {
		out.Content = &text
	}
	for _, c := range m.Calls() {
		out.ToolCalls = append(out.ToolCalls, toolCall{c.ID, "function", functionCall{wireName(c.Name), argumentsText(c)}})
	}
	if out.Content == nil && out.ToolCalls == nil {
		return nil
	}
	return []message{out}
}

// argumentsText is never empty: OpenAI wants an object in the string.
func argumentsText(c protocol.ToolCall) string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}

// toolMessages are one for each result: OpenAI has no way to say that a tool failed but the text.
func toolMessages(m protocol.Message) []message {
	var out []message
	for _, part := range m.Parts {
		if part.Result == nil {
			continue
		}
		text := part.Result.Text
		if part.Result.Failed {
			text = "error: " + text
		}
		out = append(out, message{Role: "tool", Content: &text, ToolCallID: part.Result.Call})
	}
	return out
}

// maxName is OpenAI's limit for a function's name.
const maxName = 64

// wireName makes a name fit for OpenAI (letters, digits, _ and -), because a model may have called a tool that never
// was by a name that the endpoint would refuse each time the conversation is sent again.
func wireName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), maxName)]
}
