package supervisor

import (
	"encoding/json"
	"time"

	"mews/protocol"
)

// InboundKind is the kind of an inbound, from a user or from the service.
type InboundKind string

const (
	KindText    InboundKind = "text"    // goes to the model, in the conversation's order
	KindCommand InboundKind = "command" // a slash command: bypasses the queue
	// the press of a button: bypasses the queue; Text is the Button's Press
	KindPress InboundKind = "press"
	// a code that opens the gate: answered at once, and never stored
	KindCode InboundKind = "code"

	// Kinds that no user sent. They start a turn of their own kind, as a text starts a TurnChat.
	KindJob    InboundKind = "job"    // a job is due
	KindReview InboundKind = "review" // a pull request needs a review
	KindTriage InboundKind = "triage" // an issue needs a triage
	KindMCP    InboundKind = "mcp"    // another program asks
)

// InboundState is the state of an inbound.
type InboundState string

const (
	// its files are being fetched and read, or more messages may belong to it
	InboundArriving InboundState = "arriving"
	InboundNew      InboundState = "new"      // stored, not yet begun
	InboundRunning  InboundState = "running"  // its turn has started
	InboundAnswered InboundState = "answered" // its answer is in the outbox
	InboundDone     InboundState = "done"     // its answer was delivered
	InboundParked   InboundState = "parked"   // three attempts failed, and the user was told
	// its user dropped it before a turn took it
	InboundDropped InboundState = "dropped"
)

// Inbound is one message, press or call to the service.
type Inbound struct {
	ID           int64
	Conversation Conversation
	// the issuer of the keys: "terminal", "telegram/<API root>/<bot>", a job, a repository
	Source string
	// unique within Source and user: a repeated key is stored once
	Key     string
	Message string // the channel's name of it, for answers; "" if that is not needed
	// the channel's number of the sender, also that of the private chat; not stored
	Sender  string
	Kind    InboundKind
	Command string // with KindCommand the command's name: lower case, without the slash
	// the earlier message that it answers, as the model reads it before Text
	Quote    string
	Text     string
	Priority Priority
	// equal for inbounds that one turn takes together, such as an album; "" for single ones
	Group  string
	Origin Origin // "" means OriginOwn
	// what the model reads after Text: a JSON array of protocol.Part; "" means nothing
	Parts string
	State InboundState
	// a closed gate holds it: it is hidden until a code opens the gate
	Held       bool
	ReceivedAt time.Time
	// position of its first attachment, which grows when the user replaces attachments
	FirstFile int
	// Destination gets the answer of its turn; the zero value means its own Conversation. Reads set
	// only its ID.
	Destination Conversation
}

// GroupForwarded marks forwarded messages, which one turn takes together, whatever their origin.
const GroupForwarded = "forward"

// Priority orders what waits in a conversation. Of equal ones the first sent goes first.
type Priority int

const (
	PriorityFollowup Priority = -1 // it waits for everything else, whatever Busy says
	PriorityUsual    Priority = 0
	// the user wants it next: it goes into the running turn, whatever Busy says
	PriorityNow Priority = 1
)

// Origin says whose words a message has. Whether a model may act on it or remember it unasked
// depends on this.
type Origin string

const (
	OriginOwn Origin = "own" // the user's words, typed or spoken
	// some words are of others: forwarded, quoted, attached, or read by a tool from them
	OriginWorld Origin = "world"
)

// Attachment is a file that came with an inbound.
type Attachment struct {
	File      string // the channel's name of it, for fetching
	Kind      protocol.AttachmentKind
	Name      string // as the user sees it; "" means none
	MediaType string // "" means unknown
	Size      int64  // bytes; 0 means unknown
	Seconds   int    // of audio and video
	Position  int    // among all attachments that its inbound ever had; set by reads
	// the channel's name of its bytes, the same in every chat; "" means unknown
	ContentID string
	SHA256    string // of its bytes in the spool; "" until they were fetched
	Failure   string // a sentence: why the file is not available; "" means no failure
}

// MaxText is the longest text of an inbound, in bytes. (EchOS takes 500,000 characters.)
const MaxText = 256 << 10

// Incoming is one update of a channel, before it is checked whether its sender may speak.
type Incoming struct {
	Channel Channel
	Update  int64 // the source's number of it; 0 if it cannot be read
	// what the source sent, unchanged: it may have fields that this version does not know
	Raw    json.RawMessage
	Key    string // unique within the source; the number alone may come again
	Kind   IncomingKind
	Sender string // the channel's name of the sender's account
	Chat   string // the channel's name of the chat; with IncomingMoved the old name
	Thread string // the topic in the chat; "" means none, or the general topic
	Group  bool   // several people are in the chat
	Title  string // title of a group for people, one line; "" in private
	// the channel's name of the message; with IncomingPress that of the message with the button
	Message string
	Album   string // equal for all parts of an album; "" means no album
	// at most MaxText bytes of UTF-8 without NUL; not blank with IncomingMessage without
	// Attachments
	Text string
	// Attachments are the files that came with it. Their bytes are not fetched yet.
	Attachments []Attachment
	// somebody else said it elsewhere; forwards that come together are taken together
	Forwarded bool
	Origin    Origin // "" means OriginOwn
	// the channel's name of the message that it answers; "" means none
	RepliesTo string
	// RepliesToBot says that the answered message is the bot's. Quote is its text, in the channel's
	// words.
	RepliesToBot bool
	Quote        Quote
	Query        string // with IncomingPress: the id that acknowledges the press
	SentAt       time.Time
	// when the sender edited it, by the channel's clock; zero means never
	EditedAt time.Time
	// it is meant for the bot: always so in private and for presses, in groups if it says so
	Addressed bool
	// content that does not reach the channel's bots, such as "a story"; "" means none
	Unreadable string
	MovedTo    string // with IncomingMoved: the chat's new name
}

// IncomingKind is the kind of an Incoming.
type IncomingKind string

const (
	// words of a user, perhaps with Unreadable content
	IncomingMessage    IncomingKind = "message"
	IncomingUnreadable IncomingKind = "unreadable" // only Unreadable content of a user
	// a press of a button; Text is the Button's Press
	IncomingPress IncomingKind = "press"
	// a chat has a new name; it may come more than once
	IncomingMoved IncomingKind = "moved"
	IncomingOther IncomingKind = "other" // anything else: ignored
)

// Batch is a batch of items from a source.
type Batch struct {
	Source string // the Source of its inbounds; their own is ignored
	Next   int64  // start of the source's next batch; 0 leaves it unchanged
	Items  []Item
}

// Item is one thing that a user sent, and what is stored with it.
type Item struct {
	Inbound Inbound
	Update  int64  // the source's number of it
	Raw     string // what the source sent, unchanged; "" stores nothing
	// EditedAt is not zero if this item edits an earlier one with another number. Its Inbound is
	// the new version.
	EditedAt time.Time
	// Attachments are the files that came with it, in order.
	Attachments []Attachment
	// Answer, unless "", answers it at once, whatever its gate decides, and starts no turn. It says
	// nothing private.
	Answer string
	// Notice, unless "", is sent about it, and everything else continues. It says nothing private.
	Notice string
	// Unread says that an item with an Answer could not be read. Text names it. The next inbound of
	// its conversation that mentions unread ones has that in its text.
	Unread         bool
	MentionsUnread bool
	// RepliesTo is the channel's name of the message that it answers; "" means none. An answer to
	// anything but the newest message does not answer a question in words.
	RepliesTo string
	Decision  GateDecision // a refused inbound is not stored, except as an Answer
}

// Receipt is the result of a batch.
type Receipt struct {
	Stored []Inbound // each item's inbound, in order; one that was stored before is unchanged
	// inbounds that a code in the batch has released, oldest first; an item of it may also be in
	// Kept, as held
	Released []Inbound
	Queued   []int64 // conversations with something new in the outbox, each once
}

// Quote is an earlier message that the reader is reminded of.
type Quote struct {
	By   string // who said it; "" means that no name is needed
	Part string // the part that was chosen; "" means none
	Text string // the whole text; "" means unknown, or not needed
}

// SendInfo says how a user sent something.
type SendInfo struct {
	At           time.Time // in the user's time zone
	Conversation Conversation
	Voice        bool // spoken
	File         bool // with files other than speech
	Forwarded    bool
	Edited       bool // it was edited
	Pressed      bool // by a button
	Scheduled    bool // by a job of the user
}

// RecapLine is a message of another conversation.
type RecapLine struct {
	At   string // time and conversation, in words
	Role protocol.Role
	Text string
}

// SlashCommand describes a slash command. Its row in package command makes it, and the packages
// below get it by name.
type SlashCommand struct {
	Name string // lower case, without the slash
	Help string // what it does, in a few words that begin with a small letter
	// Urgent commands are accepted at any rate, and wait for no other command.
	Urgent bool
	// OpenWhileLocked commands run while the gate is closed: they are of no use to a stranger.
	OpenWhileLocked bool
	// EndsTurn says that the running turn takes in nothing that was sent after the command.
	EndsTurn   bool
	AdminsOnly bool
	// Locks says which gates the command closes when it is stored, by its arguments in lower case.
	// Other arguments close none.
	Locks map[string]Lock
}
