// Package modelcall holds the types of a call of a model, between its caller and the provider.
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
	// the ID of the first message to be answered; 0 means the user's last
	First    int64
	Thinking Thinking
	// how long the provider should cache the prefix that the next request shares; 0 means not at
	// all
	Cache   time.Duration
	Purpose Purpose
	// reads a picture of Messages; nil if none can be read
	Picture  func(protocol.Image) ([]byte, error)
	Reserver Reserver // pays for each attempt; nil means that nothing is paid
	// the most tokens of the answer; 0 means the provider's own limit
	Output   int64
	Measured Measured
	Tokens   int64  // estimate of all its input; 0 means unknown
	User     string // the user of the call: if calls wait for a slot, users take turns
	// OnFailure is called for each failed attempt at once, from the caller's goroutine. That
	// includes attempts that a fallback follows, and sent attempts that ctx has stopped. With a
	// Reserver it must be set, and must end the failure's Lease. The catalogue calls it, no
	// provider does.
	OnFailure func(Failure)
	// Fit returns a shorter version of a request made from this one, of about that many tokens by
	// the measure of Tokens. nil means that it can't be shortened. The catalogue calls it, no
	// provider does.
	Fit func(req Request, tokens int64) Request
	// OnWait is called with a text for the user if the answer is long delayed. The call may come
	// from any goroutine, but not after the catalogue's Stream has returned. nil is not called. The
	// catalogue calls it, no provider does.
	OnWait func(text string)
}

// Measured is a provider's token count of an earlier request that shares messages with this one.
type Measured struct {
	Spec   string             // the model that counted; "" if nothing is known
	Tokens int64              // of all its input, cached or not
	New    []protocol.Message // those of Messages that were not in it
	Other  bool               // it had another System, or other Tools
}

// ReadPicture returns a picture's bytes. If it can't be read, instead is a line of text for the
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

// PictureError is an error of Request.Picture that tells the model why it does not see the picture.
type PictureError string

func (u PictureError) Error() string { return string(u) }

// PictureNote returns the line in place of a picture that a model does not see.
func PictureNote(image protocol.Image, why string) string {
	return fmt.Sprintf("[A picture was here (%s, %d x %d pixels), and you do not see it: %s.]",
		strings.TrimPrefix(image.MediaType, "image/"), image.Width, image.Height, why)
}

// Thinking is how much a model may think before it speaks, if it can.
type Thinking string

const (
	ThinkingOff    Thinking = "off" // as is ""
	ThinkingLow    Thinking = "low"
	ThinkingMedium Thinking = "medium"
	ThinkingHigh   Thinking = "high"
)

// Purpose is the reason for calling a model.
type Purpose string

const (
	PurposeChat  Purpose = "chat"  // as is ""
	PurposeSpeak Purpose = "speak" // its usage counts characters
	// PurposeTranscribe is the transcription of a recording; its usage counts seconds.
	PurposeTranscribe Purpose = "transcribe"
	// PurposeEmbed is the conversion of texts into vectors.
	PurposeEmbed Purpose = "embed"
)

// Embeddings are texts as vectors: texts with similar meaning have similar directions.
type Embeddings struct {
	Vectors [][]float32 // in the texts' order, of one length, none of them zero
	Usage   protocol.Usage
}

// Recording is a recording for a model to transcribe.
type Recording struct {
	Format   string // ogg, mp3, m4a, mp4, wav or webm
	Size     int64
	Bytes    io.Reader
	Language string // ISO 639-1, such as en; "" lets the model find out
}

// Delta is a piece of an answer as it comes.
type Delta struct {
	Text string
	// all earlier text belongs to a failed answer, and is taken back; there is no Text with it
	Restart bool
}

// Answer is a model's complete answer.
type Answer struct {
	Message  protocol.Message // Role assistant
	Model    string           // the model that answered, as its provider names it
	Spec     string           // the same as provider/model; set by the catalogue
	Usage    protocol.Usage
	Stop     StopReason
	Request  string // the provider's own name of the call, for its support; "" if it gives none
	Replaced *Replaced
	// of the attempt with this answer; 0 if nothing was set aside
	Lease int64
	Sent  bool               // the request may have gone out
	Asked []protocol.Message // the request's Messages as they were sent; set by the catalogue
	// bytes of the answer: text, thoughts and calls; 0 if the provider does not tell
	Received int64
	// CutForMoney means that it was truncated, perhaps completely, at a limit that was lowered
	// because money was short; set by the catalogue.
	CutForMoney bool
	Blind       bool // the request had pictures, and the model saw none because it takes none
}

// Replaced says that another model should have answered, and why it did not.
type Replaced struct {
	Spec   string
	Reason string // for the user, a few words: "is overloaded"
}

// StopReason is why a model ended its message.
type StopReason string

const (
	StopEnd    StopReason = "end"    // it was complete
	StopTools  StopReason = "tools"  // it wants tools to run
	StopLength StopReason = "length" // it reached its length limit: the message is truncated
	// for an unknown reason: it may be incomplete
	StopOther StopReason = "other"
)

// Error describes why a model did not answer. Unwrap returns the *Error for the user.
type Error struct {
	Class Class
	// the pause that the provider asked for; 0 if it did not
	RetryAfter time.Duration
	Request    string         // the provider's own name of the call
	Usage      protocol.Usage // its usage before it failed
	// if the request was too long: the provider's limit in tokens; 0 if it gives none
	Window int64
	// if the request was too long: the provider's count of its tokens; 0 if it gives none
	Counted int64
	Free    bool // it certainly cost nothing: it was refused before the model began
	Err     *supervisor.Error
}

func (e *Error) Error() string { return string(e.Class) + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Failure is one failed attempt of a model.
type Failure struct {
	Spec    string // provider/model
	Class   Class
	Request string         // the provider's own name of the call
	Usage   protocol.Usage // its usage all the same; no answer's usage includes it
	// the money set aside for it, to be stored with its usage; 0 if nothing was
	Lease int64
	Again time.Duration // the pause before the same model is tried again
	Last  bool          // it is not
}

// Class says what to do about a failure.
type Class string

const (
	RateLimited Class = "rate_limited"
	Overloaded  Class = "overloaded" // it is overloaded, or is loading
	Server      Class = "server"     // internal error: 5xx
	// it could not be reached, or the connection broke before it spoke
	Network    Class = "network"
	Stalled    Class = "stalled"   // no data came for too long
	Cut        Class = "cut"       // the stream ended in the middle
	Malformed  Class = "malformed" // the answer is invalid
	Empty      Class = "empty"     // the answer has neither text nor calls
	TooLong    Class = "too_long"  // the request is longer than it can take
	Filtered   Class = "filtered"  // a filter of the provider stopped it
	Refused    Class = "refused"   // the request was refused as invalid
	Auth       Class = "auth"      // the key is wrong or lacks a permission
	Credit     Class = "credit"    // the account has no credit
	Missing    Class = "missing"   // there is no such model, or no such API
	NoTools    Class = "no_tools"  // it can't use tools
	OverBudget Class = "budget"    // there is not enough money left for it
	NoRoom     Class = "no_room"   // it reached its length limit before any text
	// the caller wanted no answer any more; in no Error
	Stopped Class = "stopped"
)

// Provider is one way to call models.
type Provider interface {
	// Stream calls the model and returns its complete answer. It calls delta with each piece as it
	// comes, from one goroutine, before it returns. When ctx ends it ends the call and returns
	// ctx's cause. Any other error is a *Error, whose Err has CodeModel or CodeUnavailable.
	// Together with an error, the answer has the known parts of the call: Request, Usage, Sent and
	// Received.
	Stream(ctx context.Context, req Request, delta func(Delta)) (Answer, error)
}
