package supervisor

import (
	"slices"
	"time"
	"unicode/utf16"
)

// RichText is a text whose marks, such as bold, are entities. Channels send it without parsing.
type RichText struct {
	Text string `json:"text"`
	// marks on the text, sorted by Offset, longer marks first; two marks are nested or do not
	// overlap
	Entities []RichTextEntity `json:"entities,omitempty"`

	Buttons [][]Button `json:"buttons,omitempty"` // rows of buttons below the text
	File    *File      `json:"file,omitempty"`    // a file, whose caption is Text
	// pictures that are shown together with File, each with its own caption
	Album []File `json:"album,omitempty"`
	// the refused file that this text replaces
	Refused *RefusedFile `json:"refused,omitempty"`
}

// RefusedFile is a file that the channel has refused for good.
type RefusedFile struct {
	SHA256 string `json:"sha256"`
	Why    string `json:"why"` // reason for the refusal, in the channel's words
}

// AppendNote returns the text with a note in italics below it. If there is no room for the note,
// the end of the text is cut off.
func (t RichText) AppendNote(note string, most int) RichText {
	const gap = "\n\n"
	t = t.Truncate(most - UTF16Length(gap+note))
	t.Entities = append(slices.Clone(t.Entities), RichTextEntity{Type: EntityItalic, Offset: UTF16Length(t.Text + gap),
		Length: UTF16Length(note)})
	t.Text += gap + note
	return t
}

// Truncate cuts a text to most UTF-16 code units. A longer text loses its end and gets an ellipsis.
func (t RichText) Truncate(most int) RichText {
	if UTF16Length(t.Text) <= most {
		return t
	}
	n := 0 // number of kept UTF-16 code units
	for i, r := range t.Text {
		if n+utf16.RuneLen(r) > most-1 {
			t.Text = t.Text[:i] + "…"
			break
		}
		n += utf16.RuneLen(r)
	}
	var marks []RichTextEntity
	for _, m := range t.Entities {
		if m.Length = min(m.Length, n-m.Offset); m.Length > 0 {
			marks = append(marks, m)
		}
	}
	t.Entities = marks
	return t
}

// UTF16Length returns the length of a text in UTF-16 code units, the unit of the Bot API.
func UTF16Length(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// RichTextEntity is a mark on a stretch of text. (It is the Bot API's MessageEntity, with the same
// words.)
type RichTextEntity struct {
	Type     RichTextEntityType `json:"type"`
	Offset   int                `json:"offset"` // start of the mark, in UTF-16 code units
	Length   int                `json:"length"` // length of the mark, in UTF-16 code units; more than 0
	URL      string             `json:"url,omitempty"`
	Language string             `json:"language,omitempty"` // programming language of a code block; "" means none
}

// RichTextEntityType is the kind of a mark.
type RichTextEntityType string

const (
	EntityBold          RichTextEntityType = "bold"
	EntityItalic        RichTextEntityType = "italic"
	EntityUnderline     RichTextEntityType = "underline"
	EntityStrikethrough RichTextEntityType = "strikethrough"
	EntitySpoiler       RichTextEntityType = "spoiler"
	EntityCode          RichTextEntityType = "code"
	EntityPre           RichTextEntityType = "pre"                   // a code block with a Language
	EntityLink          RichTextEntityType = "text_link"             // a link to URL
	EntityQuote         RichTextEntityType = "blockquote"            // a quote; quotes are never nested
	EntityLongQuote     RichTextEntityType = "expandable_blockquote" // a quote that is shown folded
)

// PostAddress says where on a channel a post appears.
type PostAddress struct {
	Chat    string
	Thread  string // name of the thread; "" means none
	ReplyTo string // name of the answered message on its channel; "" means none
	Silent  bool   // the post makes no sound
}

// Post is a message in a chat that shows a reply or a part of it. It is stored before it is sent.
type Post struct {
	ID       int64
	Turn     int64 // id of the turn whose reply the post shows; 0 means none
	Delivery int64 // id of the delivery that the post shows; 0 while the turn runs
	Part     int   // position of the post among the parts of its delivery, from 0
	State    PostState
	Repeat   bool     // the post was sent before and may have arrived; its text says that it is a repeat
	Message  string   // name of the message on its channel; set after sending
	Content  RichText // the content to show
}

// SendReservation reserves a chat's next post for an answer that is about to be stored. The chat
// gets no other message until End is called.
type SendReservation struct {
	Content RichText // the content of the answer's only post
	// End ends the reservation and sends the stored post of the delivery. A Post without an ID is
	// not sent. Call End once, after the answer was stored or storing failed.
	End func(Delivery, Post)
}

// PostState is the state of a post.
type PostState string

const (
	PostQueued PostState = "queued" // the post waits to be sent, and is not in the chat
	// the channel gets the post now; after a crash, the post may have arrived
	PostSending PostState = "sending"
	PostSent    PostState = "sent" // the post is in the chat, perhaps with an earlier content
	// the post was sent twice and may have arrived; it is not sent a third time
	PostUnknown PostState = "unknown"
	PostFailed  PostState = "failed" // the channel refused the post for good
	// the post is in the chat, but its delivery no longer needs it, so it will be deleted
	PostSurplus PostState = "surplus"
	PostDeleted PostState = "deleted"
)

// DeliveryResult is the result of a delivery.
type DeliveryResult string

const (
	OutcomeSent DeliveryResult = "sent" // the channel has taken the delivery
	// a part of the delivery may not have arrived; /resend sends it again
	OutcomeUnknown DeliveryResult = "unknown"
	// the channel refused the delivery for good, or was unreachable for too long
	OutcomeFailed DeliveryResult = "failed"
)

// DeliveryOutcome is the result of a delivery, with its details.
type DeliveryOutcome struct {
	Delivery           int64
	Outcome            DeliveryResult
	Why                string  // the channel's reason; not stored if the delivery was sent
	ReportedDeliveries []int64 // ids of earlier deliveries whose outcome the user learned from this delivery
	Post               Post    // the delivery's last post in its new state; an ID of 0 means no post

	Reason SendErrorReason // cause of a failure, if the thread or the chat caused it
	// conversation for a notice about the Reason; an empty Channel means no notice
	NoticeTo Conversation
}

// UndeliveredSummary sums up the deliveries to a chat that may not have arrived.
type UndeliveredSummary struct {
	Conversation Conversation
	Outcome      DeliveryResult
	Why          string // the channel's reason for the newest delivery
	Count        int
	Last         time.Time // time when the service gave up the newest delivery
}

// SendError is the error of a call to a channel.
type SendError struct {
	Result     SendResult
	Reason     SendErrorReason
	RetryAfter time.Duration // time to wait before the next message; only with SendReasonFlood
	MovedTo    string        // the chat's new name; only with SendReasonChatMoved
	Err        error         // the cause, without secrets
}

// SendResult says whether a message may have arrived after its sending failed.
type SendResult string

const (
	// the channel has not taken the message, which may be sent again
	SendResultUnsent  SendResult = "unsent"
	SendResultUnknown SendResult = "unknown" // the channel may have taken the message
	SendResultRefused SendResult = "refused" // the channel will never take the message
)

// SendErrorReason is the cause of a SendError, for causes that callers must handle.
type SendErrorReason string

const (
	SendReasonNone      SendErrorReason = ""
	SendReasonFlood     SendErrorReason = "flood" // too many messages were sent; with SendResultUnsent
	SendReasonChatMoved SendErrorReason = "moved" // the chat has a new name; with SendResultUnsent
	// with SendResultRefused: the channel may take smaller parts
	SendReasonTooLong SendErrorReason = "too_long"
	// with SendResultRefused: the channel may take the text without its entities
	SendReasonInvalidFormatting SendErrorReason = "marks"
	SendReasonNoVoice           SendErrorReason = "no_voice" // with SendResultRefused: the user takes no voice messages
	// with SendResultRefused: the message to change is missing or can't be changed
	SendReasonMessageGone SendErrorReason = "gone"
	SendReasonThreadGone  SendErrorReason = "thread" // with SendResultRefused: the thread is gone
	SendReasonChatGone    SendErrorReason = "chat"   // with SendResultRefused: the chat refuses all messages
)

func (e *SendError) Error() string { return e.Err.Error() }
func (e *SendError) Unwrap() error { return e.Err }
