package supervisor

import (
	"encoding/json"
	"time"

	"mews/protocol"
)

// InboundKind is what sort of thing was sent, by a person or by what begins by itself.
type InboundKind string

const (
	KindText    InboundKind = "text"    // goes to the model, in its conversation's order
	KindCommand InboundKind = "command" // a slash command: passes the queue by
	// a button was pressed: passes the queue by; Text is the Button's Press
	KindPress InboundKind = "press"
	// a code that opens the gate: answered as it is kept, and never kept itself
	KindCode InboundKind = "code"

	// These begin a turn of their own kind, as a text begins one of TurnChat, and no person sent
	// them.
	KindJob    InboundKind = "job"    // a job is due
	KindReview InboundKind = "review" // a pull request wants a review
	KindTriage InboundKind = "triage" // an issue wants to be looked at
	KindMCP    InboundKind = "mcp"    // another program asks
)

// InboundState is how far an inbound has come.
type InboundState string

const (
	// what came with it is being fetched and read, or more may belong to it
	InboundArriving InboundState = "arriving"
	InboundNew      InboundState = "new"      // kept, not yet begun
	InboundRunning  InboundState = "running"  // its turn has started
	InboundAnswered InboundState = "answered" // its answer is in the outbox
	InboundDone     InboundState = "done"     // its answer was delivered
	InboundParked   InboundState = "parked"   // three attempts at it failed; the person was told
	// its person did not want it any more, before a turn had taken it
	InboundDropped InboundState = "dropped"
)

// Inbound is one thing a person sent.
type Inbound struct {
	ID           int64
	Conversation Conversation
	// who gives the keys: "terminal", "telegram/<API root>/<bot>", a job, a repository
	Source string
	// unique within Source and the user: sent again with the same key, it is kept once
	Key     string
	Message string // the channel's own name of it, to answer to; "" where that is not needed
	// the channel's own number of who sent it, which is also that of their private chat; not kept
	Sender  string
	Kind    InboundKind
	Command string // with KindCommand its name: lower case, without the slash
	// what the model reads before Text: of an earlier message, to which it answers
	Quote    string
	Text     string
	Priority Priority
	// the same for what its conversation's turn takes together, such as an album; "" for what
	// stands alone
	Together string
	Origin   Origin // "" is OriginOwn
	// what the model reads behind Text: a JSON array of protocol.Part; "" for nothing
	Parts string
	State InboundState
	// it met a closed gate: it is as if it were not there until a code has opened that
	Held       bool
	ReceivedAt time.Time
	// the position of its first attachment, which grows when its person sends others in the place
	// of those
	FirstFile int
	// Destination is where its turn answers to; the zero value is its own Conversation. Where it is
	// read it has its ID alone.
	Destination Conversation
}

// TogetherForwarded has a turn take together what was forwarded, from wherever it is.
const TogetherForwarded = "forward"

// Priority is which of what waits in a conversation goes first. Of the same, what was sent first
// does.
type Priority int

const (
	PriorityFollowup Priority = -1 // it waits for what runs, and for all else, whatever Busy says
	PriorityUsual    Priority = 0
	// its person wants it next: it is for the turn that runs, whatever Busy says
	PriorityNow Priority = 1
)

// Origin says whose words a message has. Who is to do or remember something unasked goes by it.
type Origin string

const (
	OriginOwn Origin = "own" // the person's, typed or spoken
	// some of it is somebody else's: forwarded, quoted, attached, read by a tool in what was sent
	OriginWorld Origin = "world"
)

// Attachment is a file that came with an inbound.
type Attachment struct {
	File      string // the channel's own name of it, by which it is fetched
	Kind      protocol.AttachmentKind
	Name      string // as the person sees it; "" where it has none
	MediaType string // "" is not known
	Size      int64  // bytes; 0 is not known
	Seconds   int    // of sound and of moving pictures
	Position  int    // among all that its inbound has had; set where it is read
	// the channel's own name of its bytes, the same wherever they are; "" is not known
	ContentID string
	SHA256    string // of its bytes in the spool; "" until they were fetched
	Failure   string // a sentence: why it can't be had; "" for nothing
}

// MaxText is how long one inbound's text may be, in bytes. (EchOS takes 500,000 characters.)
const MaxText = 256 << 10

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

// Batch is what came in one piece from a source.
type Batch struct {
	Source string // the Source of its inbounds; theirs is not read
	Next   int64  // where the source's next batch begins; 0 leaves that as it is
	Items  []Item
}

// Item is one thing that a person sent, and what is kept with it.
type Item struct {
	Inbound Inbound
	Update  int64  // the source's own number of it
	Raw     string // what the source sent, as it sent it; "" keeps none
	// EditedAt is not zero of one that was sent before, under another number, and is changed by
	// this: its Inbound is as it is now.
	EditedAt time.Time
	// Attachments are the files that came with it, in order.
	Attachments []Attachment
	// Answer, where it is not "", answers it at once, whatever its gate decides, and no turn
	// begins. It says nothing private.
	Answer string
	// Notice, where it is not "", is told of it, and all else goes on. It says nothing private.
	Notice string
	// Unread says of one with an Answer that it could not be looked at. Text names it, and the next
	// inbound of its conversation that mentions what is unread has it in its text.
	Unread         bool
	MentionsUnread bool
	// RepliesTo is the channel's name of the message that it answers to; "" is none. What answers
	// to any but the conversation's newest does not answer a question in words.
	RepliesTo string
	Decision  GateDecision // of a refused inbound nothing is kept but an Answer, or nothing at all
}

// Receipt is what has come of a batch.
type Receipt struct {
	Kept []Inbound // each item's, in order; what was there before as it is
	// what a code in the batch has let through, oldest first; an item of it may be in Kept too, as
	// held
	Released []Inbound
	Queued   []int64 // conversations for which something was put into the outbox, each once
}

// Quote is what of an earlier message its reader is reminded of.
type Quote struct {
	By   string // who said it; "" is nobody who needs a name
	Part string // what was chosen of it; "" is nothing
	Text string // all of it; "" is not known, or need not be said again
}

// Sending is how something that a person sent has come.
type Sending struct {
	At        time.Time // in the person's time zone
	In        Conversation
	Voice     bool // spoken
	File      bool // with files that are no speech
	Forwarded bool
	Edited    bool // it is not as it was at first
	Pressed   bool // by a button
	Scheduled bool // by a job of theirs
}

// RecapLine is something that was said in another conversation.
type RecapLine struct {
	At   string // when and where
	Role protocol.Role
	Text string
}

// SlashCommand is what is known of a slash command before it runs. Its row in package command says
// so, and everything below that package is given it by name.
type SlashCommand struct {
	Name string // lower case, without the slash
	Help string // what it does, in a few words that begin with a small letter
	// Urgent commands are taken however fast they come, and wait for no other command.
	Urgent bool
	// Open commands run while the gate is closed: nobody gains anything by them.
	Open bool
	// EndsTurn says that what was sent behind it is not for the turn that runs: that turn takes in
	// nothing of it.
	EndsTurn   bool
	AdminsOnly bool
	// Locks is which gates it closes as it is kept, by its arguments in lower case. With other
	// arguments it closes none.
	Locks map[string]Lock
}
