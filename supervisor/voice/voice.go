// Package voice speaks answers: it makes recordings of an answer's text and puts them into the
// outbox. The end of a turn stores a row for each answer to speak. So each answer is spoken once,
// even after a restart. The text is sent at once, unless the user wants voice messages only.
package voice

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/claim"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/work"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// Store keeps the answers that wait for recordings.
type Store interface {
	List(ctx context.Context) ([]sqlite.SpokenAnswer, error)
	PutOperations(ctx context.Context, delivery int64, operations []int64) error
	PutRecordings(ctx context.Context, delivery int64, files []supervisor.File) error
	MarkFailed(ctx context.Context, delivery int64, why string) error
}

// Settings are the users' settings, by name.
type Settings interface {
	Find(ctx context.Context, user, name string) (value string, ok bool, err error)
	Put(ctx context.Context, user, name, value string) error
}

// Operations run work in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Engine makes recordings.
type Engine struct {
	protocol.VoiceEngine
	Missing string            // why there is no engine, in a sentence; "" means that there is an engine
	Voice   string            // the name of the default voice; "" means the first voice
	Voices  map[string]string // the engine's own names of the voices, by name
	// Record makes a recording without a worker; nil means that a worker makes it. A call may cost
	// money.
	Record func(ctx context.Context, turn supervisor.Turn, text, voice string) (supervisor.File, error)
}

// names returns the names of the voices, sorted.
func (e Engine) names() []string { return slices.Sorted(maps.Keys(e.Voices)) }

// Options configure an AnswerSpeaker.
type Options struct {
	Store      Store
	Settings   Settings
	Operations Operations
	Engine     func() Engine // the current engine
	// ShowRecording shows the chat action "recording" for some seconds.
	ShowRecording func(ctx context.Context, c supervisor.Conversation)
	// Say puts a notice into the outbox.
	Say func(ctx context.Context, d supervisor.Delivery) error
	// Queued tells other parts that the outbox has something new.
	Queued func(conversation int64)
	// IsServed reports whether a user is served; the answers of other users wait. nil means that
	// all users are served.
	IsServed func(user string) bool
	Log      hclog.Logger
}

// AnswerSpeaker speaks answers. It is safe for concurrent use.
type AnswerSpeaker struct {
	o     Options
	woken chan struct{} // holds a token if an answer may wait
	tasks work.UserWork

	mu    sync.Mutex // guards the fields below
	begun map[int64]bool
	// lastNotice is the last notice about failed speech in each conversation.
	lastNotice map[int64]string
}

// New returns an AnswerSpeaker; Run does the work.
func New(o Options) *AnswerSpeaker {
	return &AnswerSpeaker{o: o, woken: make(chan struct{}, 1), begun: map[int64]bool{}, lastNotice: map[int64]string{}}
}

// Wake tells Run that a new answer may wait. It never blocks.
func (v *AnswerSpeaker) Wake() { signals.SendToken(v.woken) }

// StopUser stops speaking the answers of a user who is not served any more. It waits until this
// work has ended.
func (v *AnswerSpeaker) StopUser(ctx context.Context, user string) error {
	if err := v.tasks.EndWork(ctx, user); err != nil {
		return fmt.Errorf("end the saying of answers to %s: %w", user, err)
	}
	return nil
}

// settingVoice is the name of the setting for a user's voice.
const settingVoice = "voice"

// settingMode returns the name of the setting for a conversation's mode.
func settingMode(conversation int64) string { return fmt.Sprint("voice in ", conversation) }

// queryTimeout is how long reading a setting may take.
const queryTimeout = 5 * time.Second

// ConversationMode returns whether and how the answers of a conversation are spoken.
func (v *AnswerSpeaker) ConversationMode(ctx context.Context, c supervisor.Conversation) (supervisor.VoiceMode, error) {
	mode, _, err := v.o.Settings.Find(ctx, c.User, settingMode(c.ID))
	return cmp.Or(supervisor.VoiceMode(mode), supervisor.VoiceOff), err
}

// IsVoiceOnly reports whether a conversation gets voice messages only.
// Then the text of an answer is not shown while it grows.
func (v *AnswerSpeaker) IsVoiceOnly(c supervisor.Conversation) bool {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	mode, err := v.ConversationMode(ctx, c)
	return err == nil && mode == supervisor.VoiceOnly
}

// AnswerMode returns how one answer is spoken. If part of it can't be spoken, the text is sent too.
// written then tells a user who wants only speech why the text comes.
func (v *AnswerSpeaker) AnswerMode(c supervisor.Conversation, text string) (mode supervisor.VoiceMode, written string) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	var err error
	if mode, err = v.ConversationMode(ctx, c); err != nil || !c.Channel.Capabilities().Voice ||
		mode != supervisor.VoiceOn && mode != supervisor.VoiceOnly {
		return supervisor.VoiceOff, ""
	}
	text, noted := claim.RemoveWarning(text)
	speech, spoken := markdown.RenderSpeech(text), supervisor.VoiceOn
	switch {
	case len(speech.Parts) == 0:
		spoken, written = supervisor.VoiceOff, textWrittenBecauseSilent
	case noted:
		written = textWrittenBecauseOfWarning
	case speech.Code:
		written = textWrittenBecauseOfCode
	case speech.Cut:
		written = textWrittenBecauseTooLong
	default:
		spoken = mode
	}
	if mode != supervisor.VoiceOnly {
		written = ""
	}
	return spoken, written
}

// SetMode stores the mode of a conversation. Its error is for the user.
func (v *AnswerSpeaker) SetMode(ctx context.Context, c supervisor.Conversation, mode supervisor.VoiceMode) error {
	missing := v.o.Engine().Missing
	switch {
	case mode != supervisor.VoiceOff && !c.Channel.Capabilities().Voice:
		return supervisor.Errorf(supervisor.CodeUnavailable, textNoVoiceHere)
	case mode != supervisor.VoiceOff && missing != "":
		return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: missing}
	}
	return v.o.Settings.Put(ctx, c.User, settingMode(c.ID), string(mode))
}

// MarkVoiceForbidden marks a chat that takes no voice messages, and tells the user.
func (v *AnswerSpeaker) MarkVoiceForbidden(ctx context.Context, c supervisor.Conversation) error {
	mode, err := v.ConversationMode(ctx, c)
	if err != nil || mode == supervisor.VoiceForbidden {
		return err
	}
	if err := v.o.Say(ctx, supervisor.Delivery{Conversation: supervisor.Conversation{ID: c.ID}, Text: textForbidden}); err != nil {
		return err
	}
	v.o.Queued(c.ID)
	return v.o.Settings.Put(ctx, c.User, settingMode(c.ID), string(supervisor.VoiceForbidden))
}

// ChosenVoice returns the names of all voices, and of the user's voice. Its error is for the user.
func (v *AnswerSpeaker) ChosenVoice(ctx context.Context, user string) (names []string, chosen string, err error) {
	engine := v.o.Engine()
	if engine.Missing != "" {
		return nil, "", &supervisor.Error{Code: supervisor.CodeUnavailable, Message: engine.Missing}
	}
	names = engine.names()
	chosen, _, err = v.o.Settings.Find(ctx, user, settingVoice)
	if _, there := engine.Voices[chosen]; !there {
		chosen = engine.Voice
	}
	if chosen == "" && len(names) > 0 {
		chosen = names[0]
	}
	return names, chosen, err
}

// ChooseVoice stores a user's voice. Its error is for the user.
func (v *AnswerSpeaker) ChooseVoice(ctx context.Context, user, name string) error {
	engine := v.o.Engine()
	if _, there := engine.Voices[name]; !there {
		return supervisor.Errorf(supervisor.CodeNotFound, textNoSuchVoice)
	}
	return v.o.Settings.Put(ctx, user, settingVoice, name)
}
