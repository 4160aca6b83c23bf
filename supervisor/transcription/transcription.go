// Package transcription has the recordings that people send written down by their workers: it says
// what a model reads of each, and tells its person what was heard, or why nothing was and what to
// do.
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
	"mews/supervisor"
)

// Operations are done by people's workers.
type Operations interface {
	// Do has an operation done, or finds the one that is there for its attachment, and gives it as
	// it has ended. meanwhile runs until then. It is not ok where ctx has ended, or it could not be
	// begun.
	Do(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context, id int64)) (_ supervisor.Operation, ok bool)
	// Begun says whether Do would find one.
	Begun(ctx context.Context, op supervisor.Operation) bool
	// Progress is how many seconds of a recording have been gone through.
	Progress(id int64) (seconds int)
}

// Options are what a Transcriber needs.
type Options struct {
	Operations Operations
	// Engine is what transcribes a person's recordings. missing, where it is not "", says why
	// nothing does.
	Engine func(ctx context.Context, user string) (engine protocol.SpeechEngine, missing string)
	// Endpoint, where it is not nil, transcribes a recording, and its person's worker only looks
	// through what it says. It may cost money. Its error is for the person where it has a
	// *supervisor.Error.
	Endpoint func(ctx context.Context, r Recording, language string) (protocol.TranscribeResult, error)
	// recordings that are longer are not transcribed
	Longest time.Duration
	// people are shown what was heard
	Echo bool
	// in its Conversation, of its Inbound
	Say func(ctx context.Context, d supervisor.Delivery) error
	// likewise, in the place of what it has shown of that before
	Show func(ctx context.Context, d supervisor.Delivery) error
	// begins a turn with what was heard in a recording that a command named
	Begin   func(ctx context.Context, c supervisor.Conversation, command int64, text string) error
	Uploads Uploads // of HearUploaded alone, as Now
	Now     func() time.Time
	Log     hclog.Logger
}

// Transcriber has recordings transcribed. Its methods may be called from any goroutine.
type Transcriber struct{ o Options }

// New makes a Transcriber.
func New(o Options) *Transcriber { return &Transcriber{o} }

// Recording is one that lies in its person's home.
type Recording struct {
	Conversation supervisor.Conversation
	Inbound      int64 // that it came with, or that asks for it
	Position     int   // among the files of that
	Kind         protocol.AttachmentKind
	Path         string // relative to the home
	Seconds      int    // 0: its person asks for it, and it is not known
	// its bytes in the spool; the zero value where they may not be there any more
	Blob protocol.BlobRef
}

// The engines that need something of their own.
const (
	engineOff     = "off"
	engineWhisper = "whisper"
)

// CheckEngine says for people why a configured engine transcribes nothing; "" means that it does.
func CheckEngine(e protocol.SpeechEngine) (missing string) {
	switch {
	case e.Engine == engineOff:
		return textHearingOff
	case e.Engine == engineWhisper && e.Model == "":
		return textNoHearing
	}
	return ""
}

// longAudio is how long an audio file is at least that nobody transcribes unless its person
// asks.
const longAudio = 10 * time.Minute

// outcome is what has come of a recording: what a model reads of it, and what its person is told,
// if anything.
type outcome struct {
	text  string
	words string // "" where nothing was heard
	notice  supervisor.Delivery
	heard bool
}

// Transcribe gives what a model reads of a recording that has come, and the words in it, and tells
// its person. It ends early with ctx alone.
func (t *Transcriber) Transcribe(ctx context.Context, r Recording) (text, words string) {
	if r.Kind == protocol.AttachmentAudio && r.length() >= longAudio {
		return fmt.Sprintf(textLongAudio, clock(r.Seconds), r.Path), ""
	}
	done := t.transcribe(ctx, r)
	if done.notice.Text != "" && (!done.heard || t.o.Echo) && ctx.Err() == nil {
		done.notice.Conversation, done.notice.Inbound = r.Conversation, r.Inbound
		if err := t.o.Say(ctx, done.notice); err != nil {
			t.o.Log.Error("tell a person what was heard", "user", r.Conversation.User, "error", err)
		}
	}
	return done.text, done.words
}

// Again transcribes a recording whose person asks for it, and gives what they are told. begin is
// given what a model reads of it, where something was heard.
func (t *Transcriber) Again(ctx context.Context, r Recording, begin func(text string) error) (supervisor.Delivery, error) {
	done := t.transcribe(ctx, r)
	if ctx.Err() != nil {
		return supervisor.Delivery{}, context.Cause(ctx)
	}
	if !done.heard {
		return done.notice, nil
	}
	if !t.o.Echo {
		done.notice.Text = textHeardUnshown
	}
	return done.notice, begin(done.text)
}

// Hear transcribes a recording, and tells nobody. Its error says to whoever asks for it what
// happened and what to do.
func (t *Transcriber) Hear(ctx context.Context, r Recording) (protocol.TranscribeResult, error) {
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

// failure is why a recording was not transcribed.
type failure struct {
	why   string
	retryable bool // trying again may help
}

// transcribe has a recording transcribed, and gives what comes of it. Its person is shown meanwhile
// how far it has come.
func (t *Transcriber) transcribe(ctx context.Context, r Recording) outcome {
	result, failed := t.hear(ctx, r, func(ctx context.Context, operation int64) { t.showProgress(ctx, r, operation) })
	switch {
	case failed == nil:
		return r.heardOutcome(result)
	case failed.retryable:
		return r.failedOutcome(failed.why, r.retryPress())
	}
	return r.failedOutcome(failed.why, "")
}

// hear has a recording transcribed. show shows meanwhile how far the operation has come, until its
// context ends; nil shows nothing.
//
// What a server has answered is on disk as soon as there is an operation: then it is not asked
// again, whatever ends.
func (t *Transcriber) hear(ctx context.Context, r Recording, show func(ctx context.Context, operation int64)) (
	result protocol.TranscribeResult, failed *failure) {
	engine, missing := t.o.Engine(ctx, r.Conversation.User)
	p := protocol.TranscribeParameters{Path: r.Path, Seconds: cmp.Or(r.Seconds, int(t.o.Longest.Seconds())), Engine: engine}
	op := supervisor.Operation{User: r.Conversation.User, Kind: protocol.OperationTranscribe, Inbound: r.Inbound, Position: r.Position}
	switch {
	case missing != "":
		return result, &failure{why: missing}
	case r.length() > t.o.Longest:
		return result, &failure{why: fmt.Sprintf(textTooLong, clock(r.Seconds), clock(int(t.o.Longest.Seconds())))}
	case t.o.Endpoint != nil && !t.o.Operations.Begun(ctx, op):
		r.Seconds = p.Seconds
		if result, failed = t.hearAtEndpoint(ctx, r, engine.Language); failed != nil {
			return result, failed
		}
		p.Seconds, p.Heard = max(1, result.Seconds), &protocol.TranscribedPiece{Text: result.Text, Language: result.Language}
	}
	parameters, _ := json.Marshal(p) // which always can be
	op.Parameters = string(parameters)
	op, ok := t.o.Operations.Do(ctx, op, show)
	switch {
	case (!ok || op.State != supervisor.OperationDone) && p.Heard != nil:
		return result, nil // it was paid for
	case !ok || op.State != supervisor.OperationDone:
		return result, &failure{op.Result, true}
	}
	result = protocol.TranscribeResult{}
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		t.o.Log.Error("read what an operation came to", "operation", op.ID, "error", err)
	}
	if result.Failure != "" {
		t.o.Log.Warn("a recording was not transcribed", "user", r.Conversation.User, "failure", result.Failure, "detail", result.Detail)
		why, known := textsFailure[result.Failure]
		if !known {
			why = textsFailure[protocol.SpeechExit]
		}
		return result, &failure{why, true}
	}
	return result, nil
}

// hearAtEndpoint has a recording transcribed by a server.
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
	return result, &failure{told.Message, true}
}

// heardOutcome is the outcome of a recording in which somebody speaks, or nobody does.
func (r Recording) heardOutcome(result protocol.TranscribeResult) outcome {
	name, length := r.name(), clock(result.Seconds)
	words := strings.TrimSpace(result.Text)
	if words == "" {
		return outcome{text: fmt.Sprintf(textSilent, name, length, r.Path), notice: supervisor.Delivery{Text: fmt.Sprintf(textHeardNothing, length)}}
	}
	if result.Language != "" {
		length += ", " + result.Language
	}
	o := outcome{text: fmt.Sprintf("[%s, %s] %s", name, length, words), words: words, heard: true}
	o.notice.Text = textHeard + "\n> " + strings.ReplaceAll(words, "\n", "\n> ")
	if result.Path != "" {
		o.text += fmt.Sprintf(textAlsoIn, result.Path)
	}
	return o
}

// failedOutcome is the outcome of a recording that was not transcribed: why, and with what it may be tried
// again.
func (r Recording) failedOutcome(why, again string) outcome {
	o := outcome{text: fmt.Sprintf(textNotTranscribed, r.name(), clock(r.Seconds), r.Path, why)}
	o.notice.Text = fmt.Sprintf(textFailed, why, r.Path)
	if again != "" {
		o.notice.Buttons = [][]supervisor.Button{{{Text: textTryAgain, Press: again}}}
	}
	return o
}

// PressPrefix begins what a button that tries again says. The seconds and the path of its recording
// follow.
const PressPrefix = "tr:"

// maxPress is how long what a button says may be. (Bot API, callback_data)
const maxPress = 64

// retryPress is what a button for the recording says; "" where it has no room for that.
func (r Recording) retryPress() string {
	press := fmt.Sprintf("%s%d:%s", PressPrefix, r.Seconds, r.Path)
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

// clock writes a length as people do: 0:14, 12:30, 1:02:03.
func clock(seconds int) string {
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
