// Package supervisor holds the words of the supervisor's side: what a person, a conversation, an
// inbound, a turn and a delivery are. It does no I/O and starts no goroutine.
package supervisor

import (
	"time"

	"mews/protocol"
)

// Role is what a user may do.
type Role string

const (
	RoleAdmin Role = "admin" // may see to the service and speak as anybody
	RoleUser  Role = "user"
)

// User is a person who may talk.
type User struct {
	Name string // unique; letters, digits, - and _
	Role Role
	// the OS account that is theirs: on the control socket, and of their worker; "" is the
	// service's own
	Account  string
	Home     string // absolute path of the folder that is theirs
	Timezone string // IANA name; "" is the machine's own
	Model    string // provider/model; "" is the configured default
	Files    protocol.FilePolicy
	// the number of their first account on each channel where they have one; not to be changed
	Accounts map[Channel]string
	// Workspaces are absolute paths of other folders that their worker may change.
	Workspaces []string
	Codes      Codes
	Budget     Budget
	History    int // how many days what was said is kept; 0: for ever
}

// Codes says whether a person has to prove with a time-based code (TOTP, RFC 6238) that it is they
// who speak.
type Codes string

const (
	CodesOff      Codes = "off"      // never, and they can't enrol
	CodesOptional Codes = "optional" // once they have enrolled; as is ""
	CodesRequired Codes = "required" // always: who has not enrolled can't speak
)

// Budget is what a person may spend on models, in millionths of a US dollar. 0 is no limit.
type Budget struct {
	Turn   int64 // in one turn
	Day    int64 // from midnight to midnight where they live
	Month  int64 // from the first to the first where they live
	Extend int64 // by how much they may lengthen their day by themselves, when asked; 0: not at all
}

// Conversation is (person, channel, chat, thread). It owns its history; one turn at a time runs in
// it.
type Conversation struct {
	ID      int64
	User    string
	Channel Channel
	Chat    string // the channel's own name of the chat; "" is the person's only one
	Thread  string // the channel's own name of a thread in it; "" where there are none
}

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

// TurnKind is what a turn is for.
type TurnKind string

const (
	TurnChat   TurnKind = "chat"
	TurnJob    TurnKind = "job"
	TurnReview TurnKind = "review"
	TurnTriage TurnKind = "triage"
	TurnMCP    TurnKind = "mcp"
)

// OneShot says whether turns of the kind have a worker of their own, which has nothing of its
// person's: no folder, no tool, no money.
func (k TurnKind) OneShot() bool { return k == TurnReview || k == TurnTriage }

// Turn is the work for one inbound, or, below another turn, for what that asks of it.
type Turn struct {
	ID           int64
	Conversation Conversation // whose history it sees
	Destination  Conversation // see AnswersIn; the zero value is its own Conversation
	Kind         TurnKind
	Inbound      int64 // 0 of a child turn
	Parent       int64 // the turn that has begun it; 0 for none
	// the inbound's, to answer to; "" where the turn answers in another conversation
	Message   string
	Deaths    int           // workers that ended in it
	Ran       time.Duration // before it last waited for its person
	StartedAt time.Time
}

// AnswersIn is the conversation where a turn's answer, its files and its questions go.
func (t Turn) AnswersIn() Conversation {
	if t.Destination == (Conversation{}) {
		return t.Conversation
	}
	return t.Destination
}

// Delivery is one message to a person, in the outbox until its channel has taken it.
type Delivery struct {
	ID           int64
	Conversation Conversation
	Inbound      int64  // the inbound that it answers; 0 for a notice
	Key          string // that inbound's key; "" for a notice
	// keys of what its turn has taken in beside that, in order: this answers them too
	AlsoKeys []string
	Message  string       // that inbound's name in its channel; "" where it has none
	Turn     int64        // the turn that said it; 0 where none did
	Why      protocol.Why // why that turn ended; "" where none did
	Kind     DeliveryKind
	Text     string
	Buttons  [][]Button // below the last part of Text, by row
	Files    []File     // after the text, in this order; the answer of a turn has none
	// what its turn did, a line each: shown folded below the text, and never said
	Effects []string
	Asks    bool // it is a question that words may answer; where it is read
	// the Files say another delivery aloud, whose text is sent where they can't be
	Spoken bool
	Silent bool // it makes no sound at the other end
	Urgent bool // it does not wait for the end of quiet hours; where it is put
	// it is what a turn says that began by itself, where nobody waits for that; where it is read
	Unasked bool
	// DeleteAfter is how long after it was given what it says may stand in the chat: its messages
	// are deleted then. What it said is not kept, and so it is never sent again. 0 is for ever.
	DeleteAfter time.Duration
	CreatedAt   time.Time
}

// Button is one that a person may press.
type Button struct {
	Text string `json:"text"`
	// what comes back: 1 to 64 bytes of printable ASCII (Bot API, callback_data)
	Press string `json:"press"`
}

// Presses of buttons that stand alone and are no buttons below a message: PressLocation has a
// keyboard of its own, by which its person sends where they are, and PressNoKeyboard takes that
// away.
const (
	PressLocation   = "keyboard:location"
	PressNoKeyboard = "keyboard:none"
)

// File is one that goes to a person. Its bytes are in the spool, and are its user's.
type File struct {
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	Name      string `json:"name"`       // without a path; what the person sees
	MediaType string `json:"media_type"` // by its bytes; a channel shows it as what it is
	Caption   string `json:"caption,omitempty"`
	// where its worker says that it lies in the person's home; "" is not known
	Path string `json:"path,omitempty"`

	Media protocol.MediaSize `json:"media,omitzero"` // of a recording or a film, as its worker says
}

// Media types that Mews gives files by their bytes.
const (
	MediaTypeVoice   = "audio/ogg" // Opus alone: other Ogg is application/ogg
	MediaTypeMP4     = "video/mp4"
	MediaTypeUnknown = "application/octet-stream"
)

// IsPicture says whether a file can be shown as one. Several may be shown together.
func (f File) IsPicture() bool {
	return f.MediaType == "image/png" || f.MediaType == "image/jpeg" || f.MediaType == "image/webp"
}

// Cleaning is something to be done to a message that stands in a channel's chat, at the latest when
// it can be done.
type Cleaning struct {
	ID           int64
	Conversation Conversation
	Message      string // the channel's own name of it
	What         CleaningKind
	Content      RichText  // with CleaningEdit: what it is to show
	Due          time.Time // not before
}

// CleaningKind is what is to be done.
type CleaningKind string

const (
	CleaningDelete   CleaningKind = "delete"   // take the message away: it held a secret
	CleaningUnbutton CleaningKind = "unbutton" // take its buttons away: they have been answered
	CleaningEdit     CleaningKind = "edit"     // have it show another content
)

// Reply is a running turn's answer as it is now.
type Reply struct {
	Turn Turn
	Text string // Markdown; what has been committed and what is being said, and Note
	Note string // why nothing comes; "" where something does
	Tool ToolRun
}

// ToolRun is a call of a tool that runs; the zero value is none.
type ToolRun struct {
	Call string
	Tool string // its name
	Text string // what it is about, such as a path or a command; "" is not known
}

// DeliveryKind is what sort of message a delivery is.
type DeliveryKind string

const (
	DeliveryAnswer  DeliveryKind = "answer"  // the end of a turn
	DeliveryCommand DeliveryKind = "command" // a slash command's answer
	DeliveryMessage DeliveryKind = "message" // what a turn says ahead of its answer
	DeliveryNotice  DeliveryKind = "notice"  // something the service has to say by itself
)

// Answers says whether such a delivery answers its inbound: nothing more comes for that.
func (k DeliveryKind) Answers() bool { return k == DeliveryAnswer || k == DeliveryCommand }

// MaxText is how long one inbound's text may be, in bytes. (EchOS takes 500,000 characters.)
const MaxText = 256 << 10
