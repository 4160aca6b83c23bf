package supervisor

import (
	"slices"
	"time"
	"unicode/utf16"
)

// RichText is text with marks, in the form that a channel takes: it is not parsed again.
type RichText struct {
	Text string `json:"text"`
	// by Offset, the longer one first; two are nested or apart
	Entities []Entity `json:"entities,omitempty"`

	Buttons [][]Button `json:"buttons,omitempty"` // below the text, by row
	File    *File      `json:"file,omitempty"`    // Text is its caption
	// with File: pictures that are shown together with it, each with its own caption
	Album []File `json:"album,omitempty"`
}

// Append returns the text with a note below it, in italics. It cuts off the end of a text that
// leaves no room for the note.
func (t RichText) Append(note string, most int) RichText {
	const gap = "\n\n"
	t = t.Clip(most - Units(gap+note))
	t.Entities = append(slices.Clone(t.Entities), Entity{Type: EntityItalic, Offset: Units(t.Text + gap), Length: Units(note)})
	t.Text += gap + note
	return t
}

// Clip returns the text if it has at most most UTF-16 code units. Otherwise it returns the
// beginning with its marks and an ellipsis.
func (t RichText) Clip(most int) RichText {
	if Units(t.Text) <= most {
		return t
	}
	n := 0 // kept UTF-16 code units
	for i, r := range t.Text {
		if n+utf16.RuneLen(r) > most-1 {
			t.Text = t.Text[:i] + "…"
			break
		}
		n += utf16.RuneLen(r)
	}
	var marks []Entity
	for _, m := range t.Entities {
		if m.Length = min(m.Length, n-m.Offset); m.Length > 0 {
			marks = append(marks, m)
		}
	}
	t.Entities = marks
	return t
}

// Units returns the number of UTF-16 code units of a text. The Bot API counts them.
func Units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// Entity is a mark on a stretch of text. (The Bot API's MessageEntity, with the API's words.)
type Entity struct {
	Type     EntityType `json:"type"`
	Offset   int        `json:"offset"` // UTF-16 code units
	Length   int        `json:"length"` // UTF-16 code units, more than 0
	URL      string     `json:"url,omitempty"`
	Language string     `json:"language,omitempty"` // of a code block; "" means none
}

// EntityType is the kind of a mark.
type EntityType string

const (
	EntityBold          EntityType = "bold"
	EntityItalic        EntityType = "italic"
	EntityUnderline     EntityType = "underline"
	EntityStrikethrough EntityType = "strikethrough"
	EntitySpoiler       EntityType = "spoiler"
	EntityCode          EntityType = "code"
	EntityPre           EntityType = "pre"                   // with Language
	EntityLink          EntityType = "text_link"             // with URL
	EntityQuote         EntityType = "blockquote"            // never within another quote
	EntityLongQuote     EntityType = "expandable_blockquote" // shown folded
)

// Address is the destination of a post in a channel.
type Address struct {
	Chat    string
	Thread  string // "" means none
	ReplyTo string // the channel's name of the message that is answered; "" means none
	Silent  bool   // makes no sound for the user
}

// Post is a message in a chat that shows a reply or a part of it. It is stored before it is sent.
type Post struct {
	ID       int64
	Turn     int64 // the turn whose reply it shows; 0 means none
	Delivery int64 // its delivery; 0 while its turn runs
	Part     int   // counted from 0
	State    PostState
	Repeat   bool     // it was sent before and may have arrived: it says so when it is sent again
	Message  string   // the channel's name of it, after sending
	Content  RichText // what it should show
}

// SendClaim reserves a chat's next call for an answer that will be stored next. The chat waits
// until the claim ends.
type SendClaim struct {
	Content RichText // the content of the answer's only post
	// End sends the post that was stored as being sent, with its delivery. Without an ID it sends
	// nothing. It is called once, after the answer was stored or storing failed.
	End func(Delivery, Post)
}

// PostState is the state of a post.
type PostState string

const (
	PostQueued PostState = "queued" // certainly not sent
	// may be on its way; if nobody sends it now, it may have arrived
	PostSending PostState = "sending"
	PostSent    PostState = "sent" // in the chat, perhaps with an earlier content
	// its arrival was unknown twice: it is not sent again
	PostUnknown PostState = "unknown"
	PostFailed  PostState = "failed" // refused for good
	// in the chat, but not needed by its delivery: it will be deleted
	PostSurplus PostState = "surplus"
	PostDeleted PostState = "deleted"
)

// Outcome is the result of a delivery.
type Outcome string

const (
	OutcomeSent Outcome = "sent" // its channel has taken it
	// a part of it may not have arrived; /resend sends it again
	OutcomeUnknown Outcome = "unknown"
	// its channel refused it for good, or was unreachable for too long
	OutcomeFailed Outcome = "failed"
)

// DeliveryOutcome is the result of a delivery that ends.
type DeliveryOutcome struct {
	Delivery           int64
	Outcome            Outcome
	Why                string  // what the channel said; not stored for a sent delivery
	ReportedDeliveries []int64 // earlier deliveries whose outcome this one told the user
	Post               Post    // the last of its posts, with its new state; without an ID there is none

	Reason   SendReason   // of a failed one, if the cause is its thread or its chat
	NoticeTo Conversation // where the user is told about that; without a Channel nowhere
}

// UndeliveredSummary sums up the deliveries to a chat that may not have arrived.
type UndeliveredSummary struct {
	Conversation Conversation
	Outcome      Outcome
	Why          string // what the channel said about the newest of them
	Count        int
	Last         time.Time // when the newest of them was given up
}

// SendError is the error of a call to a channel.
type SendError struct {
	Result     SendResult
	Reason     SendReason
	RetryAfter time.Duration // with SendReasonFlood: nothing may be sent before it has passed
	MovedTo    string        // with SendReasonMoved: the chat's new name
	Err        error         // the cause, without secrets
}

// SendResult says whether an unconfirmed message may have arrived.
type SendResult string

const (
	SendUnsent  SendResult = "unsent"  // certainly not taken: it may be sent again
	SendUnknown SendResult = "unknown" // it may have been taken
	SendRefused SendResult = "refused" // not taken, and it never will be
)

// SendReason is the cause of a SendError that needs its own reaction.
type SendReason string

const (
	ReasonNone        SendReason = ""
	SendReasonFlood   SendReason = "flood"    // too much was sent; with SendUnsent
	SendReasonMoved   SendReason = "moved"    // the chat has a new name; with SendUnsent
	SendReasonTooLong SendReason = "too_long" // with SendRefused: smaller parts may be taken
	// with SendRefused: the text may be taken without its entities
	SendReasonEntities SendReason = "marks"
	SendReasonNoVoice  SendReason = "no_voice" // with SendRefused: the user accepts no voice messages
	// with SendRefused: the message to change is missing or can't be changed
	SendReasonMessageGone SendReason = "gone"
	SendReasonThreadGone  SendReason = "thread" // with SendRefused: the thread is gone
	SendReasonChatGone    SendReason = "chat"   // with SendRefused: the chat takes nothing any more
)

func (e *SendError) Error() string { return e.Err.Error() }
func (e *SendError) Unwrap() error { return e.Err }
