package modeltest

import (
	"encoding/json"
	"net/http"
)

// Format is a wire format.
type Format string

const (
	OpenAI    Format = "openai"    // OpenAI's Chat Completions API
	Anthropic Format = "anthropic" // Anthropic's Messages API
)

// Request is a request that passed the checks, the same in both formats.
type Request struct {
	Format   Format
	Model    string
	System   string
	Messages []Message // without the system message
	Tools    []Tool
	Stream   bool
	Limit    int    // max_tokens or max_completion_tokens; 0 if missing
	Thinking string // "" means off; otherwise the effort, or the budget of tokens: "medium", "8192"
	// the id of the conversation: the client's own id, or the first message
	Conversation string
	ID           string // the id in the header of the server's answer
	Header       http.Header
	Raw          []byte // the body as received
}

// Message is one message. Its roles are user, assistant and tool. If a user message of Anthropic's
// format has results, each result becomes a tool message, and the rest a user message.
type Message struct {
	Role    string
	Content string // a result that is an error begins with "error: " in both formats
	Calls   []Call // the calls of an assistant's message
	CallID  string // in a tool's message, the call that it answers
	Images  []Picture
	Thought []string // the thinking of an assistant's message
}

// Call is a tool call, in a request or an answer.
type Call struct {
	ID   string // in an Answer, "" means a made-up id
	Name string
	Args string // JSON; in an Answer it may be invalid
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// exchange is a request that is being answered.
type exchange struct {
	Request
	server      *Server
	prompt      prompt
	usage       bool // the stream ends with its usage
	turnThought bool // the answer needs no thinking: the turn began with some, or does not require it
	cost        counts
}
