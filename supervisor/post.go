package supervisor

import (
	"slices"
	"time"
	"unicode/utf16"
)

// RichText is text and the marks on it, as a channel takes it: nothing in it is parsed again.
type RichText struct {
	Text string `json:"text"`
	// by Offset, the longer one first; one is within another or apart from it
	Entities []Entity `json:"entities,omitempty"`

	Buttons [][]Button `json:"buttons,omitempty"` // below the text, by row
	File    *File      `json:"file,omitempty"`    // with it Text is the file's caption
	// with File: pictures that are shown together with it, each with its own caption
	Album []File `json:"album,omitempty"`
}

// Append is the text with a note below it, in italics; of a text that leaves no room for that the
// end is cut off.
func (t RichText) Append(note string, most int) RichText {
	const gap = "\n\n"
	t = t.Clip(most - Units(gap+note))
	t.Entities = append(slices.Clone(t.Entities), Entity{Type: EntityItalic, Offset: Units(t.Text + gap), Length: Units(note)})
	t.Text += gap + note
	return t
}

// Clip is the text itself where it has at most so many UTF-16 code units, else its beginning and an
// ellipsis, with the marks on that.
func (t RichText) Clip(most int) RichText {
	if Units(t.Text) <= most {
		return t
	}
	n := 0 // UTF-16 code units that are kept
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

// Units is how many UTF-16 code units a text has. The Bot API counts so.
func Units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// Entity is a mark on a stretch of text. (The Bot API's MessageEntity, whose words these are.)
type Entity struct {
	Type     EntityType `json:"type"`
	Offset   int        `json:"offset"` // UTF-16 code units
	Length   int        `json:"length"` // UTF-16 code units, more than 0
	URL      string     `json:"url,omitempty"`
	Language string     `json:"language,omitempty"` // of a fence; "" where it names none
}

// EntityType is what a mark does.
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

// Address is where in a channel a post goes.
type Address struct {
	Chat    string
	Thread  string // "" where there are none
	ReplyTo string // the channel's own name of the message that is answered; "" for none
	Silent  bool   // makes no sound at the other end
}

// Post is one message in a channel's chat that shows a reply or a part of it. It is on disk before
// it is sent.
type Post struct {
	ID       int64
	Turn     int64 // the turn whose reply it shows; 0 where none said it
	Delivery int64 // the delivery that it belongs to; 0 while its turn runs
	Part     int   // from 0
	State    PostState
	Repeat   bool     // it was sent before and may have arrived: it says so when it is sent again
	Message  string   // the channel's own name of it, once it was sent
	Content  RichText // what it is to show
}

// SendClaim is a chat's next call, taken for an answer that is about to be kept. The chat waits
// until it ends.
type SendClaim struct {
	Content RichText // what the answer's only post shows
	// End has the post sent that was kept as being sent, with its delivery; without an ID nothing
	// is. It is called once, after what was to be kept has been kept or has failed.
	End func(Delivery, Post)
}

// PostState is how far a post has come.
type PostState string

const (
	PostQueued PostState = "queued" // not sent, for certain
	// may be on its way; where nobody sends it, it is not known whether it arrived
	PostSending PostState = "sending"
	PostSent    PostState = "sent" // stands in the chat, perhaps with an earlier content
	// twice it was not known whether it arrived: it is not sent again
	PostUnknown PostState = "unknown"
	PostFailed  PostState = "failed" // refused for good
	// stands in the chat, and its delivery does not need it: to be deleted
	PostSurplus PostState = "surplus"
	PostDeleted PostState = "deleted"
)

// Outcome is what became of a delivery.
type Outcome string

const (
	OutcomeSent Outcome = "sent" // its channel has taken it
	// a part of it may or may not have arrived; /resend sends it again
	OutcomeUnknown Outcome = "unknown"
	// its channel refused it for good, or could not be reached for too long
	OutcomeFailed Outcome = "failed"
)

// DeliveryOutcome is what became of a delivery, as it is closed.
type DeliveryOutcome struct {
	Delivery int64
	Outcome  Outcome
	Why      string  // what the channel said; not kept of what was sent
	Told     []int64 // earlier deliveries whose outcome the person knows now, from this one
	Post     Post    // the last of its posts, settled with it; without an ID there is none

	Reason    SendReason   // of one that failed, where its thread or its chat is to blame
	Elsewhere Conversation // where its person is told then; without a Channel that is nowhere
}

// Undelivered sums up the deliveries to one chat that did not arrive for certain.
type Undelivered struct {
	Conversation Conversation
	Outcome      Outcome
	Why          string // what the channel said of the newest of them
	Count        int
	Last         time.Time // when the newest of them was given up
}

// SendError is how a channel did not do what it was asked to.
type SendError struct {
	Result     SendResult
	Reason     SendReason
	RetryAfter time.Duration // with ReasonFlood: nothing may be sent before
	MovedTo    string        // with ReasonMoved: the chat's new name
	Err        error         // what happened, with no secret in it
}

// SendResult is what is known of something that was sent and not acknowledged.
type SendResult string

const (
	ResultUnsent  SendResult = "unsent"  // it was not taken, for certain: it may be sent again
	ResultUnknown SendResult = "unknown" // it may have been taken
	ResultRefused SendResult = "refused" // it was not taken, and will not be
)

// SendReason tells apart what is to be done.
type SendReason string

const (
	ReasonNone    SendReason = ""
	ReasonFlood   SendReason = "flood"    // too much was sent; with ResultUnsent
	ReasonMoved   SendReason = "moved"    // the chat has another name now; with ResultUnsent
	ReasonTooLong SendReason = "too_long" // with ResultRefused: in smaller parts it may be taken
	// with ResultRefused: without its entities it may be taken
	ReasonMarks   SendReason = "marks"
	ReasonNoVoice SendReason = "no_voice" // with ResultRefused: the person takes no voice messages
	// with ResultRefused: the message to be changed is not there or can't be changed
	ReasonGone   SendReason = "gone"
	ReasonThread SendReason = "thread" // with ResultRefused: the thread is not there any more
	ReasonChat   SendReason = "chat"   // with ResultRefused: the chat takes nothing any more
)

func (e *SendError) Error() string { return e.Err.Error() }
func (e *SendError) Unwrap() error { return e.Err }
