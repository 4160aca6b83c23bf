package modeltest

import (
	"encoding/json"
	"net/http"
)

// APIFormat is an API's format of requests and answers.
type APIFormat string

const (
	FormatOpenAI    APIFormat = "openai"    // OpenAI's Chat Completions API
	FormatAnthropic APIFormat = "anthropic" // Anthropic's Messages API
)

// Request is a request that has passed the checks. It is the same for both formats.
type Request struct {
	Format   APIFormat
	Model    string
	System   string
	Messages []Message // messages of the conversation, without the system message
	Tools    []Tool
	Stream   bool
	Limit    int    // output limit: max_tokens or max_completion_tokens; 0 if missing
	Thinking string // "" means off; otherwise the effort, such as "medium", or the budget of tokens: "8192"
	// the conversation's id that the client sent; without an id, the user's first message
	Conversation string
	ID           string // the request's id in the response header
	Header       http.Header
	Raw          []byte // the body as it was received
}

// Message is one message. Roles are user, assistant and tool. A user message in Anthropic's format
// may contain results. Each result becomes a tool message, and the rest a user message.
type Message struct {
	Role    string
	Content string // text; the result of a failed tool begins with "error: " in both formats
	Calls   []Call // calls in an assistant message
	CallID  string // id of the call that a tool message answers
	Images  []Picture
	Thought []string // thinking in an assistant message, and signatures
}

// Call is a tool call in a request or an answer.
type Call struct {
	ID   string // id of the call; in an Answer, "" means that the server makes an id
	Name string
	Args string // arguments of the call as JSON; in an Answer they may be invalid
}

// Tool is a tool that the model may use.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// exchange is a request and the state of its answer.
type exchange struct {
	Request
	server      *Server
	prompt      prompt
	usage       bool // the stream ends with the token counts
	turnThought bool // the answer needs no thinking: the turn began with thinking, or the model requires none
	cost        counts
}
