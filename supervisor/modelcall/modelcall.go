// Package modelcall holds the types for a call of a model, shared by callers and providers.
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
	Model    string // the model's name at its provider
	System   string
	Tools    []protocol.Tool // the tools, sorted by name so that the prompt's prefix stays the same
	Messages []protocol.Message
	// the ID of the first message to be answered; 0 means the user's last message
	First    int64
	Thinking ThinkingLevel
	// how long the provider should cache the prefix that the next request shares; 0 means not at
	// all
	Cache time.Duration
	// Shared is the number of parts at the beginning of the first message that other requests have
	// too. The provider should cache only the prefixes that end with these parts. 0 means that the
	// next request continues this one.
	Shared  int
	Purpose Purpose
	// Picture reads a picture of Messages. nil means that no picture can be read.
	Picture  func(protocol.Image) ([]byte, error)
	Reserver MoneyReserver // sets money aside for each attempt; nil means that no money is set aside
	// EndWithMoney means that the call ends if the money does not cover a model. Otherwise cheaper
	// models are asked.
	EndWithMoney bool
	// the most tokens of the answer; 0 means the provider's own limit
	Output   int64
	Measured TokenCount
	Tokens   int64  // estimated tokens of the whole input; 0 means unknown
	User     string // the user who calls; while calls wait for a slot, users take turns
	// OnFailure is called at once for each failed attempt, from the caller's goroutine. It is also
	// called before a fallback, and if ctx stops an attempt that was sent. If Reserver is set,
	// OnFailure is required and must end the failure's Lease. Only the catalogue calls OnFailure.
	OnFailure func(FailedAttempt)
	// Fit returns a shorter version of req, which was made from this request. Its length is about
	// the given number of tokens, measured like history.EstimateTokens. nil means that the request
	// can't be shortened. Only the catalogue calls Fit.
	Fit func(req Request, tokens int64) Request
	// OnWait is called with a text for the user if the answer takes long. It may be nil. Only the
	// catalogue calls OnWait, from any goroutine, but not after its Stream has returned.
	OnWait func(text string)
	// OnEvent is called by the provider for each event of the answer, whether it has text or not.
	// It may be nil. Only the catalogue sets it.
	OnEvent func()
}

// TokenCount is a provider's token count of an earlier request. The two requests share messages.
type TokenCount struct {
	Spec   string             // the model that counted; "" means that no count is known
	Tokens int64              // tokens of the earlier request's whole input, cached or not
	New    []protocol.Message // messages of this request that the earlier request lacks
	Other  bool               // whether the earlier request had another System or other Tools
}

// ReadPicture returns a picture's bytes. If the picture can't be read, instead is a line of text
// for the model.
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

// PictureError tells the model why it does not see a picture. Request.Picture returns it.
type PictureError string

func (u PictureError) Error() string { return string(u) }

// PictureNote returns the line in place of a picture that a model does not see.
func PictureNote(image protocol.Image, why string) string {
	return fmt.Sprintf("[A picture was here (%s, %d x %d pixels), and you do not see it: %s.]",
		strings.TrimPrefix(image.MediaType, "image/"), image.Width, image.Height, why)
}

// ThinkingLevel is the level of thinking before an answer, for models that can think.
type ThinkingLevel string

const (
	ThinkingOff    ThinkingLevel = "off" // the value "" also means that thinking is off
	ThinkingLow    ThinkingLevel = "low"
	ThinkingMedium ThinkingLevel = "medium"
	ThinkingHigh   ThinkingLevel = "high"
)

// Purpose is the reason for calling a model.
type Purpose string

const (
	PurposeChat  Purpose = "chat"  // chatting with a user; the value "" also means PurposeChat
	PurposeSpeak Purpose = "speak" // speaking a text; the usage of such a call counts characters
	// PurposeTranscribe is the transcription of a recording; its usage counts seconds.
	PurposeTranscribe Purpose = "transcribe"
	// PurposeEmbed is the conversion of texts into vectors.
	PurposeEmbed Purpose = "embed"
	// PurposeParseTime is the reading of a time in a user's words.
	PurposeParseTime Purpose = "time"
	// PurposeFindTodos is the search for to-dos in sections of a user's files.
	PurposeFindTodos Purpose = "todos"
	// PurposeExternal is a tool's call to another server that charges for it; its usage has no
	// tokens.
	PurposeExternal Purpose = "external"
)

// Embeddings are texts as vectors: texts with similar meaning have similar directions.
type Embeddings struct {
	Vectors [][]float32 // one vector for each text, in the same order; all have the same length, and none is zero
	Usage   protocol.Usage
}

// Recording is a recording for a model to transcribe.
type Recording struct {
	Format   string // format of the recording: ogg, mp3, m4a, mp4, wav or webm
	Size     int64
	Bytes    io.Reader
	Language string // language of the recording in ISO 639-1, such as en; "" means that the model detects it
}

// Delta is a piece of an answer that is still being written.
type Delta struct {
	Text string
	// whether all earlier text belongs to a failed answer and is void; Text is then empty
	Restart bool
}

// Answer is a model's complete answer.
type Answer struct {
	Message  protocol.Message // the answer; its Role is assistant
	Model    string           // the model that answered, as its provider names it
	Spec     string           // the model that answered, as provider/model; the catalogue sets it
	Usage    protocol.Usage
	Stop     StopReason
	Request  string // the provider's id of the call, for questions to the provider; "" if there is none
	Replaced *ReplacedModel
	// the lease of the attempt with this answer; 0 if no money was set aside
	Lease int64
	Sent  bool               // whether the request may have reached the provider
	Asked []protocol.Message // the request's Messages as they were sent; the catalogue sets them
	// bytes of the answer: text, thoughts and calls; 0 if the provider does not report the answer's
	// bytes
	Received int64
	// CutForMoney means that the answer was cut because its output limit was lowered to save money.
	// Perhaps no text is left. The catalogue sets it.
	CutForMoney bool
	Blind       bool // whether the request had pictures and the model can't see pictures
}

// ReplacedModel names the model that should have answered, and the reason why it did not.
type ReplacedModel struct {
	Spec   string
	Reason string // the reason in a few words for the user, such as "is overloaded"
}

// StopReason is the reason why a model ended its answer.
type StopReason string

const (
	StopReasonEnd    StopReason = "end"    // the answer is complete
	StopReasonTools  StopReason = "tools"  // the model wants to use tools
	StopReasonLength StopReason = "length" // the answer reached its length limit and is truncated
	// the reason is unknown, and the answer may be incomplete
	StopReasonOther StopReason = "other"
)

// Error describes why a model did not answer. Unwrap returns the *Error for the user.
type Error struct {
	Class ErrorClass
	// the pause that the provider asked for; 0 means none
	RetryAfter time.Duration
	Request    string         // the provider's id of the call
	Usage      protocol.Usage // the usage until the failure
	// for a request that was too long: the provider's limit in tokens; 0 means unknown
	Window int64
	// for a request that was too long: its tokens as the provider counted them; 0 means unknown
	Counted int64
	Free    bool // whether the attempt certainly cost nothing: the request was refused before the model began
	Err     *supervisor.Error
}

func (e *Error) Error() string { return string(e.Class) + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// ErrModelNotCalled means that a call was not made, so that it cost nothing.
var ErrModelNotCalled = errors.New("the model was not called")

// FailedAttempt describes one failed attempt of a model.
type FailedAttempt struct {
	Spec    string // the model of the attempt, as provider/model
	Class   ErrorClass
	Request string         // the provider's id of the call
	Usage   protocol.Usage // usage of the failed attempt; no answer's usage includes it
	// the lease of the failed attempt, to be stored with its usage; 0 if no money was set aside
	Lease int64
	Again time.Duration // the pause before the same model is tried again
	Last  bool          // whether the same model is not tried again
}

// ErrorClass is the class of a failure. It decides whether a call is retried or another model is
// asked.
type ErrorClass string

const (
	RateLimited ErrorClass = "rate_limited"
	Overloaded  ErrorClass = "overloaded" // the model is overloaded, or is still loading
	ServerError ErrorClass = "server"     // internal error of the server: status 5xx
	// the server could not be reached, or the connection broke before the answer began
	NetworkError          ErrorClass = "network"
	StreamStalled         ErrorClass = "stalled"   // the provider sent no data for too long
	StreamCut             ErrorClass = "cut"       // the connection broke within the answer
	MalformedAnswer       ErrorClass = "malformed" // the answer is invalid
	EmptyAnswer           ErrorClass = "empty"     // the answer has neither text nor calls
	RequestTooLong        ErrorClass = "too_long"  // the request is longer than the model can take
	ContentFiltered       ErrorClass = "filtered"  // a filter of the provider stopped the answer
	RequestRefused        ErrorClass = "refused"   // the request was refused as invalid
	AuthFailed            ErrorClass = "auth"      // the key is wrong or lacks a permission
	NoCredit              ErrorClass = "credit"    // the account has no credit
	ModelMissing          ErrorClass = "missing"   // the model or the API does not exist
	ToolsUnsupported      ErrorClass = "no_tools"  // the model can't use tools
	OverBudget            ErrorClass = "budget"    // too little money is left for the call
	LengthLimitBeforeText ErrorClass = "no_room"   // the answer reached its length limit before any text
	// the caller stopped the call; an Error never has this class
	CallStopped ErrorClass = "stopped"
)

// Provider is a connection to models, such as an API.
type Provider interface {
	// Stream calls the model and returns its complete answer. Before it returns, it calls delta
	// with each piece of the answer, from one goroutine.
	//
	// If ctx ends, Stream ends the call and returns ctx's cause. Any other error is a *Error, whose
	// Err has CodeModel or CodeUnavailable. Even with an error, the answer has the known parts of
	// the call: Request, Usage, Sent and Received.
	Stream(ctx context.Context, req Request, delta func(Delta)) (Answer, error)
}
