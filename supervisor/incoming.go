package supervisor

import (
	"encoding/json"
	"time"
)

// Incoming is one thing that a channel brings, before anybody was asked whether its sender may speak.
type Incoming struct {
	Channel Channel
	Update  int64           // the source's own number of it; 0 where that cannot be read
	Raw     json.RawMessage // what the source sent, unchanged: it may hold fields that this version does not know
	Key     string          // unique within the source; the number alone may come again
	Kind    IncomingKind
	Sender  string // the channel's name of the account that sent it
	Chat    string // the channel's name of the chat; with IncomingMoved its old name
	Thread  string // the topic in the chat; "" where there are none, and in a chat's general topic
	Group   bool   // several people are in the chat
	Title   string // of a group, one line, for people to know it by; "" in private
	Message string // the channel's name of the message; with IncomingPress that of the message with the button
	Album   string // the same for everything that was sent as one album; "" where it is none
	Text    string // at most MaxText bytes of UTF-8 without NUL; not blank with IncomingMessage without Attachments
	// Attachments are the files that came with it. Their bytes are not fetched yet.
	Attachments []Attachment
	Forwarded   bool   // somebody else has said it, elsewhere; forwards that come together are taken together
	Origin      Origin // "" is OriginOwn
	RepliesTo   string // the channel's name of the message in the chat that it answers to; "" for none
	// RepliesToBot says that this one is the bot's. Quote is what it says, in the channel's words.
	RepliesToBot bool
	Quote        Quote
	Query        string // with IncomingPress: what acknowledges the press
	SentAt       time.Time
	EditedAt     time.Time // when its sender has changed it, as the channel dates that; zero: it is as it was sent
	Addressed    bool      // it is meant for the bot: always in private and of presses, in groups where it says so
	Unreadable   string    // what was sent and does not reach the channel's bots, such as "a story"; "" for nothing
	MovedTo      string    // with IncomingMoved: the chat's new name
}

// IncomingKind is what an Incoming is about.
type IncomingKind string

const (
	IncomingMessage    IncomingKind = "message"    // a person's words, perhaps with something Unreadable
	IncomingUnreadable IncomingKind = "unreadable" // a person sent only what Unreadable names
	IncomingPress      IncomingKind = "press"      // a person pressed a button; Text is the Button's Press
	IncomingMoved      IncomingKind = "moved"      // a chat has a new name; it may be said more than once
	IncomingOther      IncomingKind = "other"      // anything else: nothing is done about it
)
