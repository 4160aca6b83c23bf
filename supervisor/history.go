package supervisor

import (
	"time"

	"mews/protocol"
)

// HistoryMessage is what was said, with where that was.
type HistoryMessage struct {
	SaidMessage
	In   Conversation
	Sent string // the channel's name of what the person sent that it belongs to; "" is not known
}

// HistoryQuery asks what was said with a person, in order. All but User may be left out.
type HistoryQuery struct {
	User         string
	Conversation int64
	Span         Span
	Who          string          // WhoPerson or WhoAssistant
	NoBareCalls  bool            // leaves out what the model says in calls alone
	Newest       bool            // from the newest on backwards
	After        HistoryPosition // what is listed comes after that; backwards if Newest
	Skip, Limit  int
}

// HistoryPosition is where a message is in what was said. The zero value is before the first.
type HistoryPosition struct {
	At      int64 `json:"at"` // unix milliseconds
	Message int64 `json:"message"`
}

// Position is where the message is.
func (m HistoryMessage) Position() HistoryPosition { return HistoryPosition{m.At.UnixMilli(), m.ID} }

// Who says something, in one pair of words for commands, verbs, tools and exports.
const (
	WhoPerson    = "person"
	WhoAssistant = "assistant"
)

// RoleOf is the role of who says something; "" is any.
var RoleOf = map[string]protocol.Role{WhoPerson: protocol.RoleUser, WhoAssistant: protocol.RoleAssistant}

// Who says it.
func (m HistoryMessage) Who() string {
	if m.Role == protocol.RoleUser {
		return WhoPerson
	}
	return WhoAssistant
}

// SaidMessage is what a person said, or was answered.
type SaidMessage struct {
	protocol.Message
	Origin Origin
	At     time.Time
	Size   int64 // in bytes, as it is kept
}

// MemorySource is a message that a fact goes by.
type MemorySource struct {
	Message  int64
	Origin   Origin
	Words    string // of the person's
	At       time.Time
	Material bool // the model has read what is not the person's own words in that conversation
}

// ForgottenFact is a fact that is not taken up again.
type ForgottenFact struct {
	ID      string
	Text    string
	Message int64 // that it went by; 0 is none
}

// Forgetting is what a person wants to be forgotten: all that was sent in a span of time, with what
// came of it.
type Forgetting struct {
	ID           int64
	User         string
	Inbound      int64 // the press or the command that wants it
	Conversation int64 // 0 is all that they have
	Since, Until time.Time
	Next         int64 // nothing is left of what was sent before this inbound
	Counts       ForgetCounts
	Ended        bool // nothing is left
	// Expired: nobody has asked for it, it is all older than the configuration keeps. ID, Inbound
	// and Conversation are 0 then. What a conversation's window has stays, and so does what came of
	// it in the home.
	Expired bool
}

// ForgetCounts says how much is forgotten, or would be.
type ForgetCounts struct {
	Messages int64 `json:"messages,omitempty"` // that the person sent
	Answers  int64 `json:"answers,omitempty"`
	Results  int64 `json:"results,omitempty"` // of tools
	Undos    int64 `json:"undos,omitempty"`   // copies of files from before they were changed
	Files    int64 `json:"files,omitempty"`   // that were sent along
	Changed  int64 `json:"changed,omitempty"` // files that were changed; they are not touched
	Facts    int64 `json:"facts,omitempty"`   // of MEMORY.md that came of it
	Notes    int64 `json:"notes,omitempty"`   // lines of daily notes, likewise
	Logged   int64 `json:"logged,omitempty"`  // exchanges in the home's logs
	// of the messages, those that are not answered or delivered yet
	Waiting int64 `json:"waiting,omitempty"`
}

// Plus is what c and more come to together.
func (c ForgetCounts) Plus(more ForgetCounts) ForgetCounts {
	return ForgetCounts{
		Messages: c.Messages + more.Messages, Answers: c.Answers + more.Answers, Results: c.Results + more.Results,
		Undos: c.Undos + more.Undos, Facts: c.Facts + more.Facts, Notes: c.Notes + more.Notes,
		Logged: c.Logged + more.Logged, Files: c.Files + more.Files, Changed: c.Changed + more.Changed,
		Waiting: c.Waiting + more.Waiting,
	}
}

// ForgottenPiece is what came of forgetting for a moment.
type ForgottenPiece struct {
	Forgetting
	Messages []int64 // that are gone from the transcript
}

// Span is a span of time. From is in it and To is not. A zero From or To sets no bound.
type Span struct{ From, To time.Time }
