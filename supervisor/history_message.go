package supervisor

import "mews/protocol"

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
