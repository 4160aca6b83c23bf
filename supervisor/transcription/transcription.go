// Package transcription transcribes the recordings of users. It gives the text to the model, and
// shows it to the user or says why there is no text.
package transcription

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
)

// Operations run work in users' workers.
type Operations interface {
	// RunOperation runs an operation, or joins the operation that already runs for the same
	// attachment. It returns the ended operation. The function meanwhile runs until the operation
	// ends. ok is false if ctx has ended or the operation could not start.
	RunOperation(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context,
		id int64)) (_ supervisor.Operation, ok bool)
	// HasOperation reports whether the operation exists already.
	HasOperation(ctx context.Context, op supervisor.Operation) bool
	// TranscribedSeconds returns how many seconds of the recording are done.
	TranscribedSeconds(id int64) (seconds int)
}

// Options configure a Transcriber.
type Options struct {
	Operations Operations
	// Engine returns the user's engine. missing says why there is no engine; "" means that there is
	// an engine.
	Engine func(ctx context.Context, user string) (engine protocol.SpeechEngine, missing string)
	// Endpoint transcribes a recording by a server, and the worker only splits the server's text.
	// nil means that the worker transcribes. A call may cost money. An error that wraps a
	// *supervisor.Error has a text for the user.
	Endpoint func(ctx context.Context, r Recording, language string) (protocol.TranscribeResult, error)
	// MaxLength is the length of the longest recording; longer recordings are refused.
	MaxLength time.Duration
	// ShowText shows users the text of their recordings.
	ShowText bool
	// Say sends a message to the message's Conversation, as an answer to the message's Inbound.
	Say func(ctx context.Context, d supervisor.Delivery) error
	// Show is like Say, but replaces the message that Show sent before.
	Show func(ctx context.Context, d supervisor.Delivery) error
	// Begin begins a turn with the text of a recording that a command named.
	Begin   func(ctx context.Context, c supervisor.Conversation, command int64, text string) error
	Uploads UploadedFilesRunner // Uploads and Now are only for TranscribeUploaded
	Now     func() time.Time
	Log     hclog.Logger
}

// Transcriber transcribes recordings. It is safe for concurrent use.
type Transcriber struct{ o Options }

// New returns a Transcriber.
func New(o Options) *Transcriber { return &Transcriber{o} }

// Recording is a recording in its user's home.
type Recording struct {
	Conversation supervisor.Conversation
	Inbound      int64 // the message with the recording, or the command that named the recording
	Position     int   // position of the recording among the files of its message
	Kind         protocol.AttachmentKind
	Path         string // the file, relative to the home
	Seconds      int    // length in seconds; 0 means unknown, because a command named the recording
	// Blob is the recording's bytes in the spool; the zero value means that the bytes may be gone.
	Blob protocol.BlobRef
}

// Engines with special requirements.
const (
	engineOff     = "off"
	engineWhisper = "whisper"
)

// EngineProblem says why an engine can't transcribe; "" means that it can.
func EngineProblem(e protocol.SpeechEngine) (missing string) {
	switch {
	case e.Engine == engineOff:
		return textHearingOff
	case e.Engine == engineWhisper && e.Model == "":
		return textNoHearing
	}
	return ""
}

// longAudio is the length from which an audio file is transcribed only on demand.
const longAudio = 10 * time.Minute

// outcome is the result of a transcription: the text for the model and the notice for the user, if
// any.
type outcome struct {
	text   string
	words  string // the recording's words alone; "" if nobody speaks
	notice supervisor.Delivery
	heard  bool
}

// Transcribe returns the text of a new recording for the model, and its words alone. It also shows
// the user the text, or the reason why there is no text. It returns early only if ctx ends.
func (t *Transcriber) Transcribe(ctx context.Context, r Recording) (text, words string) {
	if r.Kind == protocol.AttachmentAudio && r.length() >= longAudio {
		return fmt.Sprintf(textLongAudio, clock(r.Seconds), r.Path), ""
	}
	done := t.transcribe(ctx, r)
	if done.notice.Text != "" && (!done.heard || t.o.ShowText) && ctx.Err() == nil {
		done.notice.Conversation, done.notice.Inbound = r.Conversation, r.Inbound
		if err := t.o.Say(ctx, done.notice); err != nil {
			t.o.Log.Error("tell a person what was heard", "user", r.Conversation.User, "error", err)
		}
	}
	return done.text, done.words
}

// RetryTranscription transcribes a recording that the user names. It returns the message for the
// user. If somebody speaks in the recording, begin gets the text for the model.
func (t *Transcriber) RetryTranscription(ctx context.Context, r Recording,
	begin func(text string) error) (supervisor.Delivery, error) {
	done := t.transcribe(ctx, r)
	if ctx.Err() != nil {
		return supervisor.Delivery{}, context.Cause(ctx)
	}
	if !done.heard {
		return done.notice, nil
	}
	if !t.o.ShowText {
		done.notice.Text = textHeardUnshown
	}
	return done.notice, begin(done.text)
}

// TranscribeSilently transcribes a recording and tells nobody. Its error says what happened and
// what to do.
func (t *Transcriber) TranscribeSilently(ctx context.Context, r Recording) (protocol.TranscribeResult, error) {
	result, failed := t.hear(ctx, r, nil)
	switch {
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	case failed != nil:
		return result, supervisor.Errorf(supervisor.CodeUnavailable, textNotHeard, failed.why)
	}
	return result, nil
}

func (r Recording) length() time.Duration { return time.Duration(r.Seconds) * time.Second }

// failure says why a recording was not transcribed.
type failure struct {
	why       string
	retryable bool // whether another try may help
	noSound   bool // whether there is no sound in the recording
	noFile    bool // whether there is no recording at the path
}

// transcribe transcribes a recording, shows the progress meanwhile, and returns the outcome.
func (t *Transcriber) transcribe(ctx context.Context, r Recording) outcome {
	result, failed := t.hear(ctx, r, func(ctx context.Context, operation int64) { t.showProgress(ctx, r, operation) })
	switch {
	case failed == nil:
		r.Path = cmp.Or(result.Recording, r.Path)
	case failed.noSound && !r.isSpokenMessage():
		failed.why = textNoSound
	}
	switch {
	case failed == nil, failed.noSound && !r.isSpokenMessage() && r.Kind != "":
		return r.heardOutcome(result)
	case failed.noFile:
		gone := fmt.Sprintf(textGone, r.Path)
		return outcome{text: gone, notice: supervisor.Delivery{Text: gone}}
	case failed.retryable:
		return r.failedOutcome(failed.why, r.retryPress())
	}
	return r.failedOutcome(failed.why, "")
}

// isSpokenMessage reports whether the user spoke the recording as a message. In other recordings,
// such as films, often nobody speaks.
func (r Recording) isSpokenMessage() bool {
	return r.Kind == protocol.AttachmentVoice || r.Kind == protocol.AttachmentVideoNote
}

// hear transcribes a recording. show runs until the operation ends, to show its progress; it may be
// nil.
//
// The operation keeps the server's answer on disk. So the server is not asked twice if the worker
// or the service ends meanwhile.
func (t *Transcriber) hear(ctx context.Context, r Recording, show func(ctx context.Context, operation int64)) (
	result protocol.TranscribeResult, failed *failure) {
	engine, missing := t.o.Engine(ctx, r.Conversation.User)
	p := protocol.TranscribeParameters{Path: r.Path, Seconds: t.mostSeconds(r), Engine: engine}
	op := supervisor.Operation{User: r.Conversation.User, Kind: protocol.OperationKindTranscribe, Inbound: r.Inbound,
		Position: r.Position}
	switch {
	case missing != "":
		return result, &failure{why: missing}
	case r.length() > t.o.MaxLength:
		return result, &failure{why: fmt.Sprintf(textTooLong, clock(r.Seconds), clock(int(t.o.MaxLength.Seconds())))}
	case t.o.Endpoint != nil && !t.o.Operations.HasOperation(ctx, op):
		r.Seconds = cmp.Or(r.Seconds, p.Seconds)
		if result, failed = t.hearAtEndpoint(ctx, r, engine.Language); failed != nil {
			return result, failed
		}
		p.Seconds, p.ServerText = max(1, result.Seconds), &protocol.TranscribedPiece{Text: result.Text, Language: result.Language}
	}
	parameters, _ := json.Marshal(p) // p can always be encoded
	op.Parameters = string(parameters)
	op, ok := t.o.Operations.RunOperation(ctx, op, show)
	switch {
	case (!ok || op.State != supervisor.OperationDone) && p.ServerText != nil:
		return result, nil // keep the server's text, which is paid for
	case !ok || op.State != supervisor.OperationDone:
		return result, &failure{why: op.Result, retryable: true}
	}
	result = protocol.TranscribeResult{}
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		t.o.Log.Error("read what an operation came to", "operation", op.ID, "error", err)
	}
	if result.Failure != "" {
		t.o.Log.Warn("a recording was not transcribed", "user", r.Conversation.User, "failure", result.Failure, "detail", result.Detail)
		why, known := textsFailure[result.Failure]
		if !known {
			why = textsFailure[protocol.SpeechFailureProgramFailed]
		}
		return result, &failure{why: why, retryable: result.Failure != protocol.SpeechFailureNoFile,
			noSound: result.Failure == protocol.SpeechFailureNoSound,
			noFile:  result.Failure == protocol.SpeechFailureNoFile}
	}
	return result, nil
}

// mostSeconds returns the most seconds that the worker reads of a recording. The stated length may
// be wrong, and only ffmpeg finds the real length, so a longer recording is read too.
func (t *Transcriber) mostSeconds(r Recording) int {
	most := int(t.o.MaxLength.Seconds())
	if r.Seconds == 0 {
		return most
	}
	return min(most, 4*r.Seconds+60)
}

// hearAtEndpoint transcribes a recording with the server.
func (t *Transcriber) hearAtEndpoint(ctx context.Context, r Recording, language string) (protocol.TranscribeResult, *failure) {
	result, err := t.o.Endpoint(ctx, r, language)
	told := new(supervisor.Error)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() == nil:
		t.o.Log.Warn("a recording was not transcribed", "user", r.Conversation.User, "error", err)
	}
	if !errors.As(err, &told) {
		told.Message = textNoAnswer
	}
	return result, &failure{why: told.Message, retryable: told.Code != supervisor.CodeNotFound,
		noFile: told.Code == supervisor.CodeNotFound}
}

// heardOutcome returns the outcome of a recording that was transcribed, even if nobody speaks in
// it.
func (r Recording) heardOutcome(result protocol.TranscribeResult) outcome {
	name, length := r.name(), clock(cmp.Or(result.Seconds, r.Seconds))
	words := strings.TrimSpace(result.Text)
	if words == "" {
		o := outcome{text: fmt.Sprintf(textSilent, name, length, r.Path)}
		switch {
		case r.isSpokenMessage():
			o.notice.Text = fmt.Sprintf(textHeardNothing, length)
		case r.Kind == "": // a command named the recording
			o.notice.Text = fmt.Sprintf(textNobodySpeaks, r.Path, length)
		}
		return o
	}
	if result.Language != "" {
		length += ", " + foreign.SanitizeName(result.Language)
	}
	o := outcome{text: fmt.Sprintf("[%s, %s] %s", name, length, foreign.SanitizeText(words)), words: words, heard: true}
	o.notice.Text = textHeard + "\n> " + strings.ReplaceAll(words, "\n", "\n> ")
	if result.Recording != "" {
		o.text += fmt.Sprintf(textTaken, result.Recording)
	}
	if result.Path != "" {
		o.text += fmt.Sprintf(textAlsoIn, result.Path)
	}
	return o
}

// failedOutcome returns the outcome of a recording that was not transcribed. again is the press of
// a button that tries again; "" means no button.
func (r Recording) failedOutcome(why, again string) outcome {
	o := outcome{text: fmt.Sprintf(textNotTranscribed, r.name(), clock(r.Seconds), r.Path, why)}
	o.notice.Text = fmt.Sprintf(textFailed, why, r.Path)
	if again != "" {
		o.notice.Buttons = [][]supervisor.Button{{{Text: textTryAgain, Press: again}}}
	}
	return o
}

// RetryPressPrefix begins the press of a button that tries again. The recording's seconds and path
// follow.
const RetryPressPrefix = "tr:"

// maxPress is the most bytes of a button's press. (Bot API, callback_data)
const maxPress = 64

// retryPress returns the press of a button for the recording; "" if it does not fit.
func (r Recording) retryPress() string {
	press := fmt.Sprintf("%s%d:%s", RetryPressPrefix, r.Seconds, r.Path)
	if len(press) > maxPress || strings.ContainsFunc(press, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return press
}

func (r Recording) name() string {
	if name := textsKind[r.Kind]; name != "" {
		return name
	}
	return textRecording
}

// clock formats a length for people: 0:14, 12:30, 1:02:03.
func clock(seconds int) string {
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
