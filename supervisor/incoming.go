package supervisor

import (
	"encoding/json"
	"time"
)

// Incoming is one thing that a channel brings, before anybody was asked whether its sender may
// speak.
type Incoming struct {
	Channel Channel
	Update  int64 // the source's own number of it; 0 where that cannot be read
	// what the source sent, unchanged: it may hold fields that this version does not know
	Raw    json.RawMessage
	Key    string // unique within the source; the number alone may come again
	Kind   IncomingKind
	Sender string // the channel's name of the account that sent it
	Chat   string // the channel's name of the chat; with IncomingMoved its old name
	Thread string // the topic in the chat; "" where there are none, and in a chat's general topic
	Group  bool   // several people are in the chat
	Title  string // of a group, one line, for people to know it by; "" in private
	// the channel's name of the message; with IncomingPress that of the message with the button
	Message string
	Album   string // the same for everything that was sent as one album; "" where it is none
	// at most MaxText bytes of UTF-8 without NUL; not blank with IncomingMessage without
	// Attachments
	Text string
	// Attachments are the files that came with it. Their bytes are not fetched yet.
	Attachments []Attachment
	// somebody else has said it, elsewhere; forwards that come together are taken together
	Forwarded bool
	Origin    Origin // "" is OriginOwn
	// the channel's name of the message in the chat that it answers to; "" for none
	RepliesTo string
	// RepliesToBot says that this one is the bot's. Quote is what it says, in the channel's words.
	RepliesToBot bool
	Quote        Quote
	Query        string // with IncomingPress: what acknowledges the press
	SentAt       time.Time
	// when its sender has changed it, as the channel dates that; zero: it is as it was sent
	EditedAt time.Time
	// it is meant for the bot: always in private and of presses, in groups where it says so
	Addressed bool
	// what was sent and does not reach the channel's bots, such as "a story"; "" for nothing
	Unreadable string
	MovedTo    string // with IncomingMoved: the chat's new name
}

// IncomingKind is what an Incoming is about.
type IncomingKind string

const (
	// a person's words, perhaps with something Unreadable
	IncomingMessage    IncomingKind = "message"
	IncomingUnreadable IncomingKind = "unreadable" // a person sent only what Unreadable names
	// a person pressed a button; Text is the Button's Press
	IncomingPress IncomingKind = "press"
	// a chat has a new name; it may be said more than once
	IncomingMoved IncomingKind = "moved"
	IncomingOther IncomingKind = "other" // anything else: nothing is done about it
)
