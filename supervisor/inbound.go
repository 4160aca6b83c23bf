package supervisor

import (
	"encoding/json"
	"time"

	"mews/protocol"
)

// InboundKind is the kind of an inbound, from a user or from the service.
type InboundKind string

const (
	KindText    InboundKind = "text"    // a text for the model; texts of a conversation are answered in order
	KindCommand InboundKind = "command" // a slash command; it does not wait in the queue
	// a press of a button; it does not wait in the queue; Text is the press of the Button
	KindPress InboundKind = "press"
	// a code that opens the gate; the service answers it at once and never stores it
	KindLoginCode InboundKind = "code"

	// Kinds of inbounds that no user sent. An inbound of such a kind starts a turn of the same
	// kind.
	KindJob    InboundKind = "job"    // a job is due
	KindReview InboundKind = "review" // a pull request needs a review
	KindTriage InboundKind = "triage" // an issue needs a triage
	KindMCP    InboundKind = "mcp"    // another program asks over MCP
)

// InboundState is the state of an inbound.
type InboundState string

const (
	// the service still fetches and reads the files, or waits for more messages of the group
	InboundArriving InboundState = "arriving"
	InboundNew      InboundState = "new"      // the inbound is stored, and its turn has not started
	InboundRunning  InboundState = "running"  // the inbound's turn runs
	InboundAnswered InboundState = "answered" // the answer is in the outbox
	InboundDone     InboundState = "done"     // the answer was delivered
	InboundParked   InboundState = "parked"   // three attempts to answer failed, and the user was told
	// the user dropped the inbound before its turn started
	InboundDropped InboundState = "dropped"
)

// SourceGitHubWorkRequest is the Source of a review or triage that a user requested in Mews. The
// user is the owner of the repository.
const SourceGitHubWorkRequest = "review"

// Inbound is one message, press or call to the service.
type Inbound struct {
	ID           int64
	Conversation Conversation
	// origin of the keys, such as "terminal", "telegram/<API root>/<bot>", a job or a repository
	Source string
	// key of the inbound, unique for a Source and a user; an inbound with a known key is not stored
	// again
	Key     string
	Message string // name of the message on its channel, for replies; "" if answers reply to no message
	// number of the sender's account and private chat on the channel; not stored
	Sender  string
	Kind    InboundKind
	Command string // the command's name, with KindCommand: lower case, without the slash
	// quote of the earlier message to which the user replies; the model reads the quote before Text
	Quote    string
	Text     string
	Priority InboundPriority
	// name of a group of inbounds that one turn answers together, such as an album; "" for a single
	// inbound
	Group   string
	Origin  Origin // origin of the words in Text; "" means OriginOwn
	OwnText bool   // the user wrote Text, even if other parts of the message have words of others
	// parts for the model after Text: a JSON array of protocol.Part; "" means none
	Parts string
	State InboundState
	// a closed gate holds the inbound; the inbound stays hidden until a code opens the gate
	Held       bool
	ReceivedAt time.Time
	// position of the first attachment that still counts; grows if the user replaces the
	// attachments
	FirstFile int
	// Destination is the conversation for the turn's answer; the zero value means the inbound's
	// Conversation. The store keeps only the ID of Destination.
	Destination Conversation
	// id of the inbound whose turn goes on, because this inbound answered that turn's question; 0
	// means none; not stored
	Resumes int64
}

// InboundGroupForwarded is the Group of forwarded messages. One turn answers the forwarded messages
// that come together.
const InboundGroupForwarded = "forward"

// InboundPriority orders the waiting inbounds of a conversation. Among equal priorities the order
// of sending counts.
type InboundPriority int

const (
	PriorityFollowup InboundPriority = -1 // the text waits until all other texts are answered, whatever the BusyMode
	PriorityUsual    InboundPriority = 0
	// the user wants the text next: it joins the running turn, whatever the BusyMode
	PriorityNow InboundPriority = 1
)

// Origin says whose words a message has. By the Origin, the service decides whether a model may act
// on the words or remember them without asking.
type Origin string

const (
	OriginOwn Origin = "own" // only the user's words, typed or spoken
	// the message has words of others: forwarded, quoted, attached, or read by a tool
	OriginWorld Origin = "world"
)

// Attachment is a file that came with an inbound.
type Attachment struct {
	File      string // name of the file on its channel, used to fetch the file
	Kind      protocol.AttachmentKind
	Name      string // name for the user; "" means none
	MediaType string // media type; "" means unknown
	Size      int64  // size in bytes; 0 means unknown
	Seconds   int    // length of audio or video, in seconds
	// position among all attachments that the inbound has ever had; set when the attachment is read
	// from the store
	Position int
	// name of the file's bytes on the channel, the same in every chat; "" means unknown
	ContentID string
	SHA256    string // SHA-256 of the bytes in the spool; "" until they are fetched
	Failure   string // sentence that says why the file is not available; "" means no failure
}

// MaxInboundText is the maximum length of an inbound's text, in bytes. (For comparison: EchOS takes
// 500,000 characters.)
const MaxInboundText = 256 << 10

// Incoming is one update of a channel. Nobody has checked yet whether the sender may speak.
type Incoming struct {
	Channel Channel
	Update  int64 // number of the update, from the source; 0 if the update can't be read
	// the update as it was received, with fields that this version may not know
	Raw    json.RawMessage
	Key    string // key of the update, unique for the source; the number alone may come again
	Kind   IncomingKind
	Sender string // name of the sender's account on the channel
	// language of the sender's app, an IETF tag such as en-US; "" means unknown
	Language string
	Chat     string // name of the chat on its channel; with IncomingChatMoved the old name
	Thread   string // name of the topic in the chat; "" means no topic, or the general topic
	Group    bool   // the chat may have several people
	Title    string // the group's title as people see it, one line; "" in private
	// name of the message on its channel; with IncomingPress, the message with the button
	Message string
	Album   string // name of the album, equal for all its parts; "" means no album
	// text of at most MaxInboundText bytes of UTF-8 without NUL; not blank if an IncomingMessage
	// has no Attachments
	Text string
	// Attachments are the files of the message, whose bytes are not fetched yet.
	Attachments []Attachment
	// the message is forwarded; one turn answers forwarded messages that come together
	Forwarded bool
	Origin    Origin // origin of the words in Text; "" means OriginOwn
	OwnText   bool   // the sender wrote Text, even if other parts of the message have words of others
	// name of the answered message on its channel; "" means none
	RepliesTo string
	// RepliesToBot says that the bot wrote the answered message. Quote is the text of the answered
	// message.
	RepliesToBot bool
	Quote        Quote
	Query        string // id from the channel, used to acknowledge an IncomingPress
	SentAt       time.Time
	// time of the last edit, by the channel's clock; zero means no edit
	EditedAt time.Time
	// the message is for the bot: a private message, a press, or a group's message that names the
	// bot
	Addressed bool
	// name of content that the channel hides from bots, such as "a story"; "" means none
	Unreadable string
	MovedTo    string // the chat's new name, with IncomingChatMoved
}

// IncomingKind is the kind of an Incoming.
type IncomingKind string

const (
	// a message of a user, perhaps with Unreadable content
	IncomingMessage    IncomingKind = "message"
	IncomingUnreadable IncomingKind = "unreadable" // a message with only Unreadable content
	// a press of a button; Text is the button's press text
	IncomingPress IncomingKind = "press"
	// a chat has got a new name; the channel may repeat this update
	IncomingChatMoved IncomingKind = "moved"
	// a user has added an emoji to a message; Text is the emoji, and Message is the name of that
	// message
	IncomingReaction      IncomingKind = "reaction"
	IncomingChatUnblocked IncomingKind = "returned" // the chat accepts the bot's messages again
	IncomingOther         IncomingKind = "other"    // any other update, which the service ignores
)

// InboundBatch is a list of items from a source that are stored together.
type InboundBatch struct {
	Source string // the Source of all inbounds of the batch; the Source of an Inbound is ignored
	Next   int64  // number of the first update that the next batch will have; 0 keeps the stored number
	Items  []BatchItem
	// conversations whose next turn may start in the transaction that stores the batch
	Reserved []TurnReservation
}

// BatchItem is one message or press of a user, with its files and the gate's decision.
type BatchItem struct {
	Inbound Inbound
	Update  int64  // number of the update, from the source
	Raw     string // the update as it was received; "" stores no update
	// EditedAt is the time of the edit if the item edits an earlier message. Inbound is then the
	// new version. Zero means no edit.
	EditedAt time.Time
	// Attachments are the files of the item, in order.
	Attachments []Attachment
	// Answer is sent at once, whatever the gate decides, and no turn starts. "" means no answer.
	// Strangers may read the Answer.
	Answer string
	// Notice is sent as a notice about the item; the item itself is handled as usual. "" means no
	// notice. Strangers may read the Notice.
	Notice string
	// Unread says that the service could not read an item with an Answer; Text names the item. The
	// conversation's next inbound with MentionsUnread gets a note about the item.
	Unread         bool
	MentionsUnread bool
	// RepliesTo is the name of the message to which the user replies; "" means none. If that
	// message is older than an open question, the reply does not answer the question.
	RepliesTo string
	// Secret says that the message had a secret, which Text no longer has. The message is deleted
	// from its chat.
	Secret   bool
	Decision GateDecision // the gate's decision; a refused inbound is stored only with an Answer

	// Reacts says that the item is an emoji on the message RepliesTo. The emoji may answer a
	// question there; otherwise the item is dropped.
	Reacts bool
}

// BatchReceipt is the result of a batch.
type BatchReceipt struct {
	Stored []Inbound // inbound of each item, in order; an inbound of an earlier batch is returned unchanged
	// held inbounds that a code in the batch has released, oldest first; Stored may still show them
	// as held
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

// SentMessageInfo says how a user sent something.
type SentMessageInfo struct {
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
	// Urgent lets the command run while other commands run. An urgent command with OpenWhileLocked
	// has no rate limit.
	Urgent bool
	// OpenWhileLocked lets the command run while the gate is closed. Its answer must tell a
	// stranger nothing private.
	OpenWhileLocked bool
	// EndsTurn means that the running turn does not read messages sent after the command.
	EndsTurn   bool
	AdminsOnly bool
	// Locks maps the command's arguments, in lower case, to the gates that the command closes when
	// it is stored. Arguments that are not listed close no gate.
	Locks map[string]GateLock
}
