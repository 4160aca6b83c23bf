package protocol

import "encoding/json"

// Role says who speaks in a Message. The system text is not a message: it goes with the request.
type Role string

const (
	RoleUser      Role = "user"      // the person, or the supervisor on the person's behalf
	RoleAssistant Role = "assistant" // the model; written by the supervisor alone
	RoleTool      Role = "tool"      // the results of tool calls
)

// Message is one row of the transcript, as the model sees it.
type Message struct {
	ID    int64  `json:"id,omitempty"` // the transcript's row; 0 until it is committed
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// Part is one piece of a message. Exactly one of its fields is set.
type Part struct {
	Text   string      `json:"text,omitempty"`
	Call   *ToolCall   `json:"call,omitempty"`
	Result *ToolResult `json:"result,omitempty"`
}

// ToolCall is the model's wish to have a tool run. ID is unique within the conversation: the supervisor makes it so
// before it commits the message that holds it.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object
}

// ToolResult answers one ToolCall.
type ToolResult struct {
	Call    string   `json:"call"` // the ToolCall's ID
	Name    string   `json:"name"` // the tool's name
	Text    string   `json:"text"` // what the model reads; already cut to the turn's output limit
	Failed  bool     `json:"failed,omitempty"`
	Rest    *BlobRef `json:"rest,omitempty"`    // the whole output where Text was cut
	Changes []Change `json:"changes,omitempty"` // what it changed in the person's files, for the ledger
}

// Change is one thing that a tool did to the world, as the ledger of effects records it.
type Change struct {
	Kind   string `json:"kind"`   // write, append, edit, move, delete
	Target string `json:"target"` // what it was done to: a path relative to the workspace
	Detail string `json:"detail,omitempty"`
}

// Usage counts the tokens of one model call.
type Usage struct {
	Input      int64 `json:"input"` // all input tokens, those read from a cache included
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
}

// Text joins the text parts of m.
func (m Message) Text() string {
	var s string
	for _, p := range m.Parts {
		s += p.Text
	}
	return s
}

// Calls lists the tool calls of m in the order in which the model made them.
func (m Message) Calls() []ToolCall {
	var calls []ToolCall
	for _, p := range m.Parts {
		if p.Call != nil {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// UserText is a message of the person's with one text part.
func UserText(text string) Message {
	return Message{Role: RoleUser, Parts: []Part{{Text: text}}}
}
