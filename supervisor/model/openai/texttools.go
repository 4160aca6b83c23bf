package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mews/supervisor/model/remote"
)

// A model without native tools gets a description of the tools in the system text. It calls tools
// by fenced blocks in its answer.
const (
	fence     = "```"
	callFence = fence + "tool_call"
)

// toolsAsText moves the tools, calls and results of r into text. It reports whether r had any.
func toolsAsText(r *request) bool {
	if r.textTools || (len(r.Tools) == 0 && !callsTools(r.Messages)) {
		return false
	}
	messages := r.Messages
	if len(r.Tools) > 0 {
		messages = withSystem(messages, toolsText(r.Tools))
	}
	r.Tools, r.Messages, r.ParallelCalls, r.textTools = nil, callsAsText(messages), false, true
	return true
}

func callsTools(messages []message) bool {
	return slices.ContainsFunc(messages, func(m message) bool { return len(m.ToolCalls) > 0 || m.Role == "tool" })
}

func toolsText(tools []tool) string {
	var out strings.Builder
	out.WriteString(textTools)
	for _, t := range tools {
		out.WriteString("\n" + t.Function.Name + ": " + t.Function.Description + "\n" + string(t.Function.Parameters) + "\n")
	}
	return out.String()
}

// withSystem appends text to the system message, or adds a system message.
func withSystem(messages []message, more string) []message {
	if len(messages) > 0 && messages[0].Role == "system" {
		more = messages[0].text() + "\n\n" + more
		messages = messages[1:]
	}
	return append([]message{{Role: "system", Content: more}}, messages...)
}

// callsAsText writes calls and results as text. It joins messages of the same role, because the
// chat templates of models without tools require alternating roles.
func callsAsText(messages []message) []message {
	var out []message
	called := map[string]string{} // tool names by the call's id
	for _, m := range messages {
		said := message{Role: m.Role, Content: m.text()}
		if m.pictured() {
			said.Content = m.parts()
		}
		for _, c := range m.ToolCalls {
			called[c.ID] = c.Function.Name
			said.Content = joinText(said.text(), fencedBlock("tool_call", struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			}{c.Function.Name, json.RawMessage(c.Function.Arguments)}))
		}
		if m.Role == "tool" {
			said = message{Role: "user", Content: fencedBlock("tool_result", struct {
				Name   string `json:"name"`
				Result string `json:"result"`
			}{called[m.ToolCallID], m.text()})}
		}
		if n := len(out) - 1; n >= 0 && out[n].Role == said.Role {
			out[n].Content = joinContent(out[n], said)
			continue
		}
		out = append(out, said)
	}
	return out
}

func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimRight(a, "\n") + "\n\n" + b
}

// fencedBlock returns a fenced block with one line of JSON. JSON on one line can't contain the
// closing fence.
func fencedBlock(name string, value any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil { // a model's arguments may be invalid JSON; other values never are
		return ""
	}
	return fence + name + "\n" + buf.String() + fence
}

// parseCall reads the content of a block. If that is no call, parseCall returns it as the arguments
// of a tool without a name. The error then tells the model that the tool does not exist.
func parseCall(body string) (name, arguments string) {
	var c struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	body = strings.TrimSpace(body)
	if json.Unmarshal([]byte(body), &c) != nil || c.Name == "" {
		return "tool_call", body
	}
	return c.Name, remote.UnquoteJSON(c.Arguments)
}
