package supervisor

import (
	"time"

	"mews/protocol"
)

// HistoryMessage is a message with its conversation, as searches and exports show it.
type HistoryMessage struct {
	DialogMessage
	Conversation   Conversation
	ChannelMessage string // name of the user's message on its channel; "" means unknown
}

// HistoryQuery selects messages of a user's conversations, in order. Only User is required.
type HistoryQuery struct {
	User         string
	Conversation int64
	Span         TimeSpan
	Speaker      string          // SpeakerUser or SpeakerAssistant; "" means both
	NoBareCalls  bool            // leave out messages in which the model only calls tools
	Newest       bool            // list from the newest backwards
	After        HistoryPosition // list messages after this position; with Newest, messages before it
	Skip, Limit  int
}

// HistoryPosition is the position of a message in the history. The zero value is before the first
// message.
type HistoryPosition struct {
	At      int64 `json:"at"` // time of the message, in unix milliseconds
	Message int64 `json:"message"`
}

// Position returns the message's position in the history.
func (m HistoryMessage) Position() HistoryPosition { return HistoryPosition{m.At.UnixMilli(), m.ID} }

// Names of speakers in commands, verbs, tools and exports.
const (
	SpeakerUser      = "person"
	SpeakerAssistant = "assistant"
)

// SpeakerRoles maps a speaker to the role of its messages; "" means any role.
var SpeakerRoles = map[string]protocol.Role{SpeakerUser: protocol.RoleUser, SpeakerAssistant: protocol.RoleAssistant}

// Speaker returns the speaker of the message.
func (m HistoryMessage) Speaker() string {
	if m.Role == protocol.RoleUser {
		return SpeakerUser
	}
	return SpeakerAssistant
}

// DialogMessage is a message of a user or of the assistant.
type DialogMessage struct {
	protocol.Message
	Origin Origin
	At     time.Time
	Size   int64 // size of the stored message in bytes
}

// OldForeignMessage is a message of an earlier day that has words of others. A model does not see
// these words; one line stands for them.
type OldForeignMessage struct {
	protocol.Message
	User    string
	OwnPart int // index of the part with the user's own words and the quotes before them; -1 means no such part
	// if true, every part except OwnPart may have words of others; if false, only quotes and the
	// recap may have them
	World bool
	At    time.Time
	Size  int64 // size of the stored message in bytes
}

// ReadMessageToolName is the name of the tool that reads a whole message of the history again.
const ReadMessageToolName = "read_message"

// FactBasis is the message that a fact is based on.
type FactBasis struct {
	Message     int64
	Origin      Origin
	Words       string // the user's words in the message
	At          time.Time
	HasMaterial bool // the model has read words of others in the conversation of the message
}

// ForgottenFact is a fact that must not be remembered again.
type ForgottenFact struct {
	ID      string
	Text    string
	Message int64 // the message that the fact is based on; 0 means none
}

// ForgetRequest is a request to forget a span of time. The service deletes the user's messages in
// the span, and all that followed from these messages.
type ForgetRequest struct {
	ID           int64
	User         string
	Inbound      int64 // id of the press or command that made the request
	Conversation int64 // id of the only conversation to forget in; 0 means all of the user's conversations
	Since, Until time.Time
	Next         int64 // id of the inbound where the next step starts; all earlier inbounds of the span are forgotten
	Counts       ForgetCounts
	Ended        bool // the request is completely done
	// Expired means that no user made the request: the data is older than the configuration allows.
	// Then ID, Inbound and Conversation are 0. Messages in a conversation's window stay, and so do
	// the files of the home.
	Expired bool
}

// ForgetCounts counts forgotten data, or data that would be forgotten.
type ForgetCounts struct {
	Messages int64 `json:"messages,omitempty"` // number of the user's messages
	Answers  int64 `json:"answers,omitempty"`
	Results  int64 `json:"results,omitempty"` // number of tool results
	Undos    int64 `json:"undos,omitempty"`   // number of stored copies of files, made before a tool changed the files
	Files    int64 `json:"files,omitempty"`   // number of received files
	// number of files that the forgotten turns changed; these files stay
	Changed int64 `json:"changed,omitempty"`
	Facts   int64 `json:"facts,omitempty"`  // number of facts in MEMORY.md
	Notes   int64 `json:"notes,omitempty"`  // number of lines in daily notes
	Logged  int64 `json:"logged,omitempty"` // number of exchanges in the home's logs
	Copies  int64 `json:"copies,omitempty"` // number of copies of the database, made before migrations
	// number of the span's messages that are not answered or delivered yet
	Waiting int64 `json:"waiting,omitempty"`
}

// Add returns the sum of c and more.
func (c ForgetCounts) Add(more ForgetCounts) ForgetCounts {
	return ForgetCounts{
		Messages: c.Messages + more.Messages, Answers: c.Answers + more.Answers, Results: c.Results + more.Results,
		Undos: c.Undos + more.Undos, Facts: c.Facts + more.Facts, Notes: c.Notes + more.Notes,
		Logged: c.Logged + more.Logged, Files: c.Files + more.Files, Changed: c.Changed + more.Changed,
		Copies: c.Copies + more.Copies, Waiting: c.Waiting + more.Waiting,
	}
}

// ForgetStepResult is the result of one step of a ForgetRequest.
type ForgetStepResult struct {
	ForgetRequest
	Messages []int64 // ids of the messages that this step deleted from the transcript
}

// TimeSpan is a span of time. It includes From and excludes To. A zero From or To sets no bound.
type TimeSpan struct{ From, To time.Time }
