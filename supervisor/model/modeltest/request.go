package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Request is a request that passed the checks.
type Request struct {
	Model    string
	System   string
	Messages []Message // without the system message
	Tools    []Tool
}

// Message is one message. Its roles are user, assistant and tool.
type Message struct {
	Role    string
	Content string
	Calls   []Call // of an assistant's message
	CallID  string // of a tool's message: the call that it answers
}

// Call is a tool call, in a request or an answer.
type Call struct {
	ID   string // in an Answer "" is made up
	Name string
	Args string // JSON
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// body is the request as it is sent. A key that is not here is refused.
type body struct {
	Model         string         `json:"model"`
	Messages      []wireMessage  `json:"messages"`
	Tools         []wireTool     `json:"tools"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// toolName is what OpenAI takes as a function's name.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

func bad(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "", fmt.Sprintf(format, args...)}
}

// decode reads a request and refuses what the real API refuses.
func decode(r io.Reader) (Request, *refusal) {
	var b body
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return Request{}, bad("We could not parse the JSON body of your request: %v", err)
	}
	switch {
	case b.Model == "":
		return Request{}, bad("you must provide a model parameter")
	case len(b.Messages) == 0:
		return Request{}, bad("Invalid 'messages': empty array.")
	case !b.Stream:
		return Request{}, bad("this server only streams")
	case b.StreamOptions == nil || !b.StreamOptions.IncludeUsage:
		return Request{}, bad("this server wants stream_options.include_usage")
	}
	return assemble(b)
}

func assemble(b body) (Request, *refusal) {
	req := Request{Model: b.Model}
	for i, t := range b.Tools {
		if refused := checkTool(t, i); refused != nil {
			return Request{}, refused
		}
		req.Tools = append(req.Tools, Tool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	for i, m := range b.Messages {
		if refused := checkMessage(m, i); refused != nil {
			return Request{}, refused
		}
		if m.Role == "system" {
			req.System = *m.Content
			continue
		}
		req.Messages = append(req.Messages, m.plain())
	}
	return req, checkPairs(req.Messages)
}

func checkTool(t wireTool, i int) *refusal {
	var schema map[string]any
	switch {
	case t.Type != "function":
		return bad("Invalid value: '%s'. Supported values are: 'function'. (tools[%d].type)", t.Type, i)
	case !toolName().MatchString(t.Function.Name):
		return bad("Invalid 'tools[%d].function.name': string does not match pattern.", i)
	case json.Unmarshal(t.Function.Parameters, &schema) != nil || schema["type"] != "object":
		return bad("Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", t.Function.Name)
	}
	return nil
}

// needs is what each role's message must hold.
var needs = map[string]func(wireMessage) bool{
	"system":    func(m wireMessage) bool { return m.Content != nil && m.ToolCalls == nil && m.ToolCallID == "" },
	"user":      func(m wireMessage) bool { return m.Content != nil && m.ToolCalls == nil && m.ToolCallID == "" },
	"assistant": func(m wireMessage) bool { return (m.Content != nil || len(m.ToolCalls) > 0) && m.ToolCallID == "" },
	"tool":      func(m wireMessage) bool { return m.Content != nil && m.ToolCalls == nil && m.ToolCallID != "" },
}

func checkMessage(m wireMessage, i int) *refusal {
	complete, known := needs[m.Role]
	switch {
	case !known:
		return bad("Invalid value: '%s'. (messages[%d].role)", m.Role, i)
	case !complete(m):
		return bad("Missing or superfluous parameter in messages[%d] with role '%s'.", i, m.Role)
	case m.Role == "system" && i > 0:
		return bad("messages[%d]: the system message must come first", i)
	}
	for j, c := range m.ToolCalls {
		if c.ID == "" || c.Type != "function" || !toolName().MatchString(c.Function.Name) || c.Function.Arguments == nil {
			return bad("Invalid 'messages[%d].tool_calls[%d]'.", i, j)
		}
	}
	return nil
}

func (m wireMessage) plain() Message {
	out := Message{Role: m.Role, CallID: m.ToolCallID}
	if m.Content != nil {
		out.Content = *m.Content
	}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, Call{c.ID, c.Function.Name, *c.Function.Arguments})
	}
	return out
}

// checkPairs wants each call answered, once, by the tool messages right after it, and each tool message to answer one.
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
