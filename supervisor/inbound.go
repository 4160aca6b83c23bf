package supervisor

import (
	"encoding/json"
	"time"

	"mews/protocol"
)

// InboundKind is the kind of an inbound, from a user or from the service.
type InboundKind string

const (
	KindText    InboundKind = "text"    // a text for the model, in the conversation's order
	KindCommand InboundKind = "command" // a slash command; it does not wait in the queue
	// the press of a button; it does not wait in the queue; Text is the button's press text
	KindPress InboundKind = "press"
	// a code that opens the gate; the service answers it at once and never stores it
	KindCode InboundKind = "code"

	// Kinds of inbounds that no user sent. Each starts a turn of the matching kind, as a text
	// starts a TurnChat.
	KindJob    InboundKind = "job"    // a job is due
	KindReview InboundKind = "review" // a pull request needs a review
	KindTriage InboundKind = "triage" // an issue needs a triage
	KindMCP    InboundKind = "mcp"    // another program asks over MCP
)

// InboundState is the state of an inbound.
type InboundState string

const (
	// the files are being fetched and read, or more messages of the group may come
	InboundArriving InboundState = "arriving"
	InboundNew      InboundState = "new"      // the inbound is stored and not begun
	InboundRunning  InboundState = "running"  // the inbound's turn has started
	InboundAnswered InboundState = "answered" // the answer is in the outbox
	InboundDone     InboundState = "done"     // the answer was delivered
	InboundParked   InboundState = "parked"   // three attempts failed, and the user was told
	// the user dropped the inbound before a turn took it
	InboundDropped InboundState = "dropped"
)

// SourceRequested is the Source of reviews and triages that their own user requested.
const SourceRequested = "review"

// Inbound is one message, press or call to the service.
type Inbound struct {
	ID           int64
	Conversation Conversation
	// the issuer of the keys, such as "terminal", "telegram/<API root>/<bot>", a job or a
	// repository
	Source string
	// unique for a Source and a user: a repeated key is stored once
	Key     string
	Message string // the channel's name of the message, for answers; "" if not needed
	// the channel's number of the sender and of the private chat; not stored
	Sender  string
	Kind    InboundKind
	Command string // the command's name, with KindCommand: lower case, without the slash
	// quote of the earlier message that the user replies to; the model reads it before Text
	Quote    string
	Text     string
	Priority InboundPriority
	// name of a group that one turn answers together, such as an album; "" for a single inbound
	Group   string
	Origin  Origin // whose words Text has; "" means OriginOwn
	OwnText bool   // the user wrote Text, even if the message has other words of others
	// parts for the model after Text: a JSON array of protocol.Part; "" means none
	Parts string
	State InboundState
	// a closed gate holds the inbound, which is hidden until a code opens the gate
	Held       bool
	ReceivedAt time.Time
	// position of the first current attachment; it grows if the user replaces attachments
	FirstFile int
	// Destination is the conversation for the turn's answer. The zero value means the inbound's
	// Conversation. A stored inbound has only the ID of Destination.
	Destination Conversation
}

// GroupForwarded is the Group of forwarded messages. One turn answers the forwarded messages that
// come together.
const GroupForwarded = "forward"

// InboundPriority orders the waiting inbounds of a conversation. Among equal priorities the order
// of sending counts.
type InboundPriority int

const (
	PriorityFollowup InboundPriority = -1 // the text waits for all other texts, whatever the BusyMode
	PriorityUsual    InboundPriority = 0
	// the user wants the text next: it joins the running turn, whatever the BusyMode
	PriorityNow InboundPriority = 1
)

// Origin says whose words a message has. It decides whether a model may act on the words, or
// remember them, without asking.
type Origin string

const (
	OriginOwn Origin = "own" // only the user's words, typed or spoken
	// the message has words of others: forwarded, quoted, attached, or read by a tool
	OriginWorld Origin = "world"
)

// Attachment is a file that came with an inbound.
type Attachment struct {
	File      string // the channel's name of the file, with which it is fetched
	Kind      protocol.AttachmentKind
	Name      string // name for the user; "" means none
	MediaType string // media type; "" means unknown
	Size      int64  // size in bytes; 0 means unknown
	Seconds   int    // length of audio or video
	Position  int    // position among all attachments that the inbound ever had; set when the attachment is read
	// the channel's name of the file's bytes, the same in every chat; "" means unknown
	ContentID string
	SHA256    string // SHA-256 of the bytes in the spool; "" until they are fetched
	Failure   string // sentence that says why the file is not available; "" means no failure
}

// MaxText is the longest text of an inbound, in bytes. (EchOS takes 500,000 characters.)
const MaxText = 256 << 10

// Incoming is one update of a channel. Nobody has checked yet whether the sender may speak.
type Incoming struct {
	Channel Channel
	Update  int64 // the source's number of the update; 0 if it cannot be read
	// the unchanged update, which may have fields that this version does not know
	Raw    json.RawMessage
	Key    string // key that is unique for the source; the number alone may come again
	Kind   IncomingKind
	Sender string // the channel's name of the sender's account
	// the language of the sender's program, an IETF tag such as en-US; "" means unknown
	Language string
	Chat     string // the channel's name of the chat; with IncomingMoved the old name
	Thread   string // the topic in the chat; "" means none, or the general topic
	Group    bool   // the chat has several people
	Title    string // title of a group for people, one line; "" in private
	// the channel's name of the message; with IncomingPress that of the message with the button
	Message string
	Album   string // name of the album, equal for all its parts; "" means no album
	// text of at most MaxText bytes of UTF-8 without NUL; not blank if an IncomingMessage has no
	// Attachments
	Text string
	// Attachments are the files of the message, whose bytes are not fetched yet.
	Attachments []Attachment
	// the message is forwarded; one turn answers forwarded messages that come together
	Forwarded bool
	Origin    Origin // whose words Text has; "" means OriginOwn
	OwnText   bool   // the sender wrote Text, even if the message has other words of others
	// the channel's name of the answered message; "" means none
	RepliesTo string
	// RepliesToBot says that the answered message is the bot's. Quote is the text of the answered
	// message.
	RepliesToBot bool
	Quote        Quote
	Query        string // the channel's id for acknowledging an IncomingPress
	SentAt       time.Time
	// time of the edit, by the channel's clock; zero means never
	EditedAt time.Time
	// the message is for the bot; a private message or a press always is, and a group's message
	// only if it names the bot
	Addressed bool
	// name of content that the channel hides from bots, such as "a story"; "" means none
	Unreadable string
	MovedTo    string // the chat's new name, with IncomingMoved
}

// IncomingKind is the kind of an Incoming.
type IncomingKind string

const (
	// a message of a user, perhaps with Unreadable content
	IncomingMessage    IncomingKind = "message"
	IncomingUnreadable IncomingKind = "unreadable" // a message with only Unreadable content
	// a press of a button; Text is the button's press text
	IncomingPress IncomingKind = "press"
	// a chat has a new name; the same update may come more than once
	IncomingMoved IncomingKind = "moved"
	// a user has added an emoji to a message; Text is the emoji, and Message the message
	IncomingReaction IncomingKind = "reaction"
	IncomingReturned IncomingKind = "returned" // the chat takes the bot's messages again
	IncomingOther    IncomingKind = "other"    // any other update; it is ignored
)

// InboundBatch is a list of items from a source that are stored together.
type InboundBatch struct {
	Source string // the Source of all inbounds of the batch; the Source of an Inbound is ignored
	Next   int64  // start of the source's next batch; 0 leaves it unchanged
	Items  []BatchItem
	// conversations whose next turn may start in the transaction that stores the batch
	Reserved []TurnReservation
}

// BatchItem is one message or press of a user, with its files and the gate's decision.
type BatchItem struct {
	Inbound Inbound
	Update  int64  // the source's number of the update
	Raw     string // the unchanged update; "" stores nothing
	// EditedAt is the time of the edit, if the item edits a message of an earlier item. Inbound is
	// then the new version. Zero means no edit.
	EditedAt time.Time
	// Attachments are the files of the item, in order.
	Attachments []Attachment
	// Answer is sent at once, and no turn is started, whatever the gate decides. "" means no
	// answer. It must say nothing private.
	Answer string
	// Notice is sent as a notice about the item, which is handled as usual. "" means no notice. It
	// must say nothing private.
	Notice string
	// Unread says that an item with an Answer could not be read. Text names the item. The next
	// inbound of the conversation with MentionsUnread gets a note about the item.
	Unread         bool
	MentionsUnread bool
	// RepliesTo is the channel's name of the message that the user replies to; "" means none. A
	// reply to an older message does not answer an open question.
	RepliesTo string
	Decision  GateDecision // the gate's decision; a refused inbound is stored only with an Answer

	// Reacts says that the item is an emoji on the message RepliesTo. It may answer a question
	// there; otherwise it is dropped.
	Reacts bool
}

// BatchReceipt is the result of a batch.
type BatchReceipt struct {
	Stored []Inbound // inbound of each item, in order; an inbound from an earlier batch is unchanged
	// inbounds that a code in the batch has released, oldest first; in Stored they may still be
	// held
	Released []Inbound
	Queued   []int64 // ids of the conversations with new deliveries, each once
	Started  []StartedTurn
}

// Quote is an earlier message that a user replies to, for the model.
type Quote struct {
	By   string // name of the author; "" means that no name is needed
	Part string // the part that the user selected; "" means none
	Text string // the whole text; "" means unknown, or not needed
}

// SendInfo says how a user sent something.
type SendInfo struct {
	At           time.Time // time of sending, in the user's time zone
	Conversation Conversation
	Voice        bool // the user spoke the message
	File         bool // the message has files other than speech
	Forwarded    bool
	Edited       bool // the user edited the message
	Pressed      bool // the user pressed a button
	Scheduled    bool // a job of the user sent the message
}

// RecapLine is a message of another conversation, in a recap.
type RecapLine struct {
	At   string // time and conversation of the message, in words
	Role protocol.Role
	Text string
}

// SlashCommand describes a slash command, such as /help.
type SlashCommand struct {
	Name string // name in lower case, without the slash
	Help string // description in a few words; begins with a small letter
	// Urgent lets the command run without waiting for other commands. An urgent command with
	// OpenWhileLocked has no rate limit.
	Urgent bool
	// OpenWhileLocked lets the command run while the gate is closed. It must give nothing to a
	// stranger.
	OpenWhileLocked bool
	// EndsTurn keeps messages that were sent after the command out of the running turn.
	EndsTurn   bool
	AdminsOnly bool
	// Locks maps the command's arguments, in lower case, to the gates that the command closes when
	// it is stored. Arguments that are not listed close no gate.
	Locks map[string]GateLock
}
