package supervisor

import (
	"time"

	"mews/protocol"
)

// Delivery is a message to a user. It is in the outbox until its channel has taken it.
type Delivery struct {
	ID           int64
	Conversation Conversation
	Inbound      int64  // the answered inbound; 0 for a notice
	Key          string // the key of the answered inbound; "" for a notice
	// keys of the inbounds that joined the turn, in order; the delivery answers these inbounds too
	AlsoKeys []string
	Message  string                 // name of the answered message on its channel; "" means none
	ReplyTo  string                 // name of another message to reply to, on its channel; only writes use this field
	Turn     int64                  // the turn that made the delivery; 0 means none
	TurnEnd  protocol.TurnEndReason // the reason why the turn ended; "" means no turn
	Kind     DeliveryKind
	Text     string
	Buttons  [][]Button // rows of buttons below the last part of Text
	Files    []File     // files after the text, in this order; the answer of a turn has none
	// lines about the turn's effects: shown folded below the text, never spoken
	Effects    []string
	IsQuestion bool // the delivery is a question that a text may answer; set when the delivery is read from the store
	// Files has the spoken text of another delivery; that delivery's text is sent if the recording
	// fails
	IsRecording bool
	Silent      bool // the message makes no sound
	Urgent      bool // the message does not wait for the end of quiet hours; not stored
	// the service started the turn, and no user waits for the message; set when the delivery is
	// read from the store
	Proactive bool
	// DeleteAfter is how long the message may stay in the chat before it is deleted. Its text is
	// not kept, so the message is never sent again. 0 means for ever.
	DeleteAfter time.Duration
	CreatedAt   time.Time
}

// Button is a button that a user may press.
type Button struct {
	Text string `json:"text"`
	// data that the channel returns: 1 to 64 bytes of printable ASCII (Bot API, callback_data)
	Press string `json:"press"`
	// the answer that presses this button if the user types yes or no; "" means none
	Answer AnswerChoice `json:"answer,omitempty"`
}

// Presses of buttons that are not below a message. ButtonShareLocation shows a keyboard, whose
// button sends the user's location. ButtonRemoveKeyboard removes the keyboard.
const (
	ButtonShareLocation  = "keyboard:location"
	ButtonRemoveKeyboard = "keyboard:none"
)

// ResendPress is the press of a button that works like /resend.
const ResendPress = "resend:all"

// File is a file for a user. Its bytes are in the spool and belong to the user.
type File struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Name   string `json:"name"` // name for the user, without a path
	// media type, found from the file's bytes; decides how a channel shows the file
	MediaType string `json:"media_type"`
	Caption   string `json:"caption,omitempty"`
	// path in the user's home, as the worker reports; "" means unknown
	Path string `json:"path,omitempty"`

	// length and size of a recording or a video, as the worker reports
	Media protocol.MediaSize `json:"media,omitzero"`
}

// Media types that Mews recognizes by a file's bytes.
const (
	MediaTypeVoice   = "audio/ogg" // only Opus: other Ogg files are application/ogg
	MediaTypeMP4     = "video/mp4"
	MediaTypeUnknown = "application/octet-stream"
)

// IsPicture reports whether a channel can show the file as a picture.
func (f File) IsPicture() bool {
	return f.MediaType == "image/png" || f.MediaType == "image/jpeg" || f.MediaType == "image/webp"
}

// MessageCleanup is a pending change of a message in a chat. The service makes the change as soon
// as the channel allows.
type MessageCleanup struct {
	ID           int64
	Conversation Conversation
	Message      string // name of the message on its channel
	Kind         MessageCleanupKind
	Content      RichText  // the message's new content; only with CleanupEdit
	Due          time.Time // earliest time for the change
}

// MessageCleanupKind is the kind of a pending change of a message.
type MessageCleanupKind string

const (
	CleanupDelete        MessageCleanupKind = "delete"   // delete a message whose time in the chat is over
	CleanupRemoveButtons MessageCleanupKind = "unbutton" // remove the buttons below an answered message
	CleanupEdit          MessageCleanupKind = "edit"     // replace the message's content
)

// DeliveryKind is the kind of a delivery.
type DeliveryKind string

const (
	DeliveryAnswer  DeliveryKind = "answer"  // the answer at the end of a turn
	DeliveryCommand DeliveryKind = "command" // the answer of a slash command
	DeliveryMessage DeliveryKind = "message" // a message of a turn before its answer
	DeliveryNotice  DeliveryKind = "notice"  // a message of the service itself
)

// IsAnswer reports whether deliveries of this kind answer their inbound.
func (k DeliveryKind) IsAnswer() bool { return k == DeliveryAnswer || k == DeliveryCommand }
