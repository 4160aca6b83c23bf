// Package modelcall holds the words of a call of a model, between whoever makes it and the provider
// that answers.
package modelcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// Request is one call of a model, assembled by the supervisor from its own transcript.
type Request struct {
	Model    string // the provider's own name of the model
	System   string
	Tools    []protocol.Tool // sorted by name, so that the prompt's prefix stays the same
	Messages []protocol.Message
	// the id of the message with which began what is to be answered; 0: the person's last
	First    int64
	Thinking Thinking
	// how long the provider is to cache the prefix that the next request shares; 0: not at all
	Cache   time.Duration
	Purpose Purpose
	// reads a picture of Messages; nil: none can be read
	Picture  func(protocol.Image) ([]byte, error)
	Reserver Reserver // pays for each attempt; nil: nobody asks
	// tokens that the answer may have; 0 is the provider's own limit
	Output   int64
	Measured Measured
	Tokens   int64  // of all its input, as far as they can be estimated; 0 is not known
	User     string // whose call it is: where calls wait for a free place, people take turns
	// OnFailure is called for each failed attempt, as it happens and from the caller's goroutine:
	// also where a fallback answers then and where ctx's end has stopped an attempt that was sent.
	// With a Reserver it must be set, and must end the failure's Lease. The catalogue calls it, no
	// provider does.
	OnFailure func(Failure)
	// Fit makes a request that was made from this one shorter, to about so many tokens by the
	// measure of Tokens. nil: it can't be. The catalogue calls it, no provider does.
	Fit func(req Request, tokens int64) Request
	// OnWait is told, in words for the person, why nothing comes for long: from any goroutine, and
	// not once the catalogue's Stream has returned. nil: nobody wants to know. The catalogue calls
	// it, no provider does.
	OnWait func(text string)
}

// Measured is how many tokens a provider counted of an earlier request that had messages of this
// one.
type Measured struct {
	Spec   string             // the model that counted; "" where nothing is known
	Tokens int64              // of all its input, from a cache or not
	New    []protocol.Message // those of Messages that were not in it
	Other  bool               // it had another System, or other Tools
}

// ReadPicture is a picture's bytes. Where it cannot be read, instead is a line of text for the
// model.
func (r Request) ReadPicture(image protocol.Image) (data []byte, instead string) {
	if r.Picture == nil {
		return nil, PictureNote(image, "it can't be read")
	}
	data, err := r.Picture(image)
	var unseen PictureError
	switch {
	case errors.As(err, &unseen):
		return nil, PictureNote(image, string(unseen))
	case err != nil:
		return nil, PictureNote(image, "it can't be read any more")
	}
	return data, ""
}

// PictureError is an error of Request.Picture that says to the model why it does not see the
// picture.
type PictureError string

func (u PictureError) Error() string { return string(u) }

// PictureNote is the line that stands where a model does not see a picture.
func PictureNote(image protocol.Image, why string) string {
	return fmt.Sprintf("[A picture was here (%s, %d x %d pixels), and you do not see it: %s.]",
		strings.TrimPrefix(image.MediaType, "image/"), image.Width, image.Height, why)
}

// Thinking is how long a model may think before it speaks, where it can.
type Thinking string

const (
	ThinkingOff    Thinking = "off" // as is ""
	ThinkingLow    Thinking = "low"
	ThinkingMedium Thinking = "medium"
	ThinkingHigh   Thinking = "high"
)

// Purpose is what a model is called for.
type Purpose string

const (
	PurposeChat  Purpose = "chat"  // as is ""
	PurposeSpeak Purpose = "speak" // its usage counts characters
	// PurposeTranscribe is to write down a recording; its usage counts seconds.
	PurposeTranscribe Purpose = "transcribe"
	// PurposeEmbed is to turn texts into vectors.
	PurposeEmbed Purpose = "embed"
)

// Embeddings are texts as vectors: those of texts that mean about the same have about the same
// direction.
type Embeddings struct {
	Vectors [][]float32 // in the texts' order, of one length, none of them zero
	Usage   protocol.Usage
}

// Recording is a recording that a model is to write down.
type Recording struct {
	Format   string // ogg, mp3, m4a, mp4, wav or webm
	Size     int64
	Bytes    io.Reader
	Language string // ISO 639-1, such as en; "" is for the model to find out
}

// Delta is a piece of an answer as it comes.
type Delta struct {
	Text string
	// all that came before belongs to an answer that failed, and is taken back; there is no Text
	// with it
	Restart bool
}

// Answer is the whole of what a model said.
type Answer struct {
	Message  protocol.Message // Role assistant
	Model    string           // the model that answered, as its provider names it
	Spec     string           // the same as provider/model; set by the catalogue
	Usage    protocol.Usage
	Stop     StopReason
	Request  string // the provider's own name of the call, for its support; "" where it gives none
	Replaced *Replaced
	// of the attempt that this is the answer of; 0 where nothing was set aside
	Lease int64
	Sent  bool               // the request may have gone out
	Asked []protocol.Message // the request's Messages as they were sent; set by the catalogue
	// bytes of the answer, be they said, thought or a call's; 0 where the provider does not tell
	Received int64
	// CutForMoney: it breaks off, perhaps before anything of it was whole, at a limit that was
	// lowered for want of money for more; set by the catalogue.
	CutForMoney bool
	Blind       bool // the request had pictures, and the model has seen none because it takes none
}

// Replaced says that another model was to answer, and why it did not.
type Replaced struct {
	Spec   string
	Reason string // for the person, a few words: "is overloaded"
}

// StopReason is why a model ended its message.
type StopReason string

const (
	StopEnd    StopReason = "end"    // it had said all
	StopTools  StopReason = "tools"  // it wants tools run
	StopLength StopReason = "length" // it reached what it may say at once: the message breaks off
	// for a reason that is not known here: nobody can tell whether it had said all
	StopOther StopReason = "other"
)

// Error is how a model did not answer. Unwrap gives the *Error for the person.
type Error struct {
	Class Class
	// with which the provider asked to be left alone; 0 where it did not say
	RetryAfter time.Duration
	Request    string         // the provider's own name of the call
	Usage      protocol.Usage // what it counted before it failed
	// where the request was too long: the tokens that there is room for, as the provider says; 0
	// where it does not
	Window  int64
	Counted int64 // likewise: the tokens that it counted
	Free    bool  // it certainly cost nothing: it was refused before the model began
	Err     *supervisor.Error
}

func (e *Error) Error() string { return string(e.Class) + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Failure is one attempt of a model that failed.
type Failure struct {
	Spec    string // provider/model
	Class   Class
	Request string         // the provider's own name of the call
	Usage   protocol.Usage // what it counted all the same; it is in no answer's usage
	// what was set aside for it, which is to be kept with its usage; 0 where nothing was
	Lease int64
	Again time.Duration // after which the same model is tried again
	Last  bool          // it is not
}

// Class tells apart what is to be done about a failure.
type Class string

const (
	RateLimited Class = "rate_limited"
	Overloaded  Class = "overloaded" // it has too much to do, or is loading
	Server      Class = "server"     // trouble of its own: 5xx
	// it could not be reached, or the connection broke before it spoke
	Network    Class = "network"
	Stalled    Class = "stalled"   // nothing came for too long
	Cut        Class = "cut"       // the stream ended in the middle
	Malformed  Class = "malformed" // what came is no answer
	Empty      Class = "empty"     // it said nothing and called nothing
	TooLong    Class = "too_long"  // the request is longer than it can take
	Filtered   Class = "filtered"  // a filter of the provider's stopped it
	Refused    Class = "refused"   // the request was refused as wrong
	Auth       Class = "auth"      // the key, or what it may
	Credit     Class = "credit"    // the account has no credit
	Missing    Class = "missing"   // there is no such model, or no such API
	NoTools    Class = "no_tools"  // it can't use tools
	OverBudget Class = "budget"    // there is not enough money left for it
	NoRoom     Class = "no_room"   // it reached what it may say before it said anything
	// whoever asked wanted no answer any more; in no Error
	Stopped Class = "stopped"
)

// Provider is one way to have models answer.
type Provider interface {
	// Stream calls the model and returns its whole answer. It calls delta with each piece as it
	// comes, from one goroutine, before it returns. When ctx ends it ends the call and returns
	// ctx's cause. Any other error is a *Error, whose Err has CodeModel or CodeUnavailable.
	// Beside an error the answer has what is known of the call: Request, Usage, Sent and Received.
	Stream(ctx context.Context, req Request, delta func(Delta)) (Answer, error)
}
