package supervisor

import (
	"time"

	"mews/protocol"
)

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
