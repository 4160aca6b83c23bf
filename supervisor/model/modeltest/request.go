package modeltest

import (
	"encoding/json"
	"net/http"
)

// Format is a wire format.
type Format string

const (
	OpenAI    Format = "openai"    // chat completions
	Anthropic Format = "anthropic" // messages
)

// Request is a request that passed the checks, the same in both formats.
type Request struct {
	Format   Format
	Model    string
	System   string
	Messages []Message // without the system message
	Tools    []Tool
	Stream   bool
	Limit    int    // max_tokens or max_completion_tokens; 0 for none
	Thinking string // "" is off, else the effort, or the budget of tokens: "medium", "8192"
	// what tells its conversation from others: the client's own word, or the first message
	Conversation string
	ID           string // as the server named it in its answer's header
	Header       http.Header
	Raw          []byte // the body as it came
}

// Message is one message. Its roles are user, assistant and tool. A user message of Anthropic's
// format with results becomes a tool message for each of them, and a user message for the rest.
type Message struct {
	Role    string
	Content string // a result that is an error begins with "error: " in both formats
	Calls   []Call // of an assistant's message
	CallID  string // of a tool's message: the call that it answers
	Images  []Picture
	Thought []string // the thinking of an assistant's message
}

// Call is a tool call, in a request or an answer.
type Call struct {
	ID   string // in an Answer "" is made up
	Name string
	Args string // JSON; in an Answer it may be broken
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// exchange is a request on its way to its answer.
type exchange struct {
	Request
	server      *Server
	prompt      prompt
	usage       bool // the stream is to end with its usage
	turnThought bool // the answer needs no thinking: the turn has begun with some, or need not
	cost        counts
}
