// Package voice has answers be said aloud: it has recordings made of an answer's text, and puts
// them into the outbox. What is to be said is a row from the turn's end on, so that each answer is
// said once, whatever ends in between; the text never waits for that, unless its person wants the
// voice alone.
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

// Store keeps the answers that are being said.
type Store interface {
	List(ctx context.Context) ([]sqlite.Speech, error)
	PutOperations(ctx context.Context, delivery int64, operations []int64) error
	PutRecordings(ctx context.Context, delivery int64, files []supervisor.File) error
	Fail(ctx context.Context, delivery int64, why string) error
}

// Settings are what people have chosen, by name.
type Settings interface {
	Find(ctx context.Context, user, name string) (value string, ok bool, err error)
	Put(ctx context.Context, user, name, value string) error
}

// Operations have a person's worker make recordings.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Engine is what makes the recordings.
type Engine struct {
	protocol.VoiceEngine
	Missing string            // a sentence: why there is none; "" where there is one
	Voice   string            // by its name; "" is the first
	Voices  map[string]string // what the engine calls each, by name
	// Record makes a recording of what a turn has said without a worker; nil: a worker does. It may
	// cost money.
	Record func(ctx context.Context, turn supervisor.Turn, text, voice string) (supervisor.File, error)
}

// names are those of the voices, sorted.
func (e Engine) names() []string { return slices.Sorted(maps.Keys(e.Voices)) }

// Options are what Voices need.
type Options struct {
	Store      Store
	Settings   Settings
	Operations Operations
	Engine     func() Engine // in force
	// shows for some seconds that one is being made
	Recording func(ctx context.Context, c supervisor.Conversation)
	// puts a notice into the outbox
	Say func(ctx context.Context, d supervisor.Delivery) error
	// something was put into its outbox
	Queued func(conversation int64)
	// answers wait to be said while their person is not; nil: all are
	Serves func(user string) bool
	Log    hclog.Logger
}

// Voices have answers be said. Their methods may be called from any goroutine.
type Voices struct {
	o     Options
	woken chan struct{} // holds a token when there may be something new to be said
	tasks work.WorkByUser

	mu    sync.Mutex // guards what follows
	begun map[int64]bool
	// why answers of a conversation could not be said, as its person was told last
	lastNotice map[int64]string
}

// New makes Voices; Run works them.
func New(o Options) *Voices {
	return &Voices{o: o, woken: make(chan struct{}, 1), begun: map[int64]bool{}, lastNotice: map[int64]string{}}
}

// Wake is to be called when an answer may have been kept that is to be said. It never blocks.
func (v *Voices) Wake() { signals.Send(v.woken) }

// End ends the saying of a person's answers, who is not served any more, and waits for that.
func (v *Voices) End(ctx context.Context, user string) error {
	if err := v.tasks.End(ctx, user); err != nil {
		return fmt.Errorf("end the saying of answers to %s: %w", user, err)
	}
	return nil
}

// settingVoice is the name of the setting with a person's voice.
const settingVoice = "voice"

// settingMode is the name of the setting with a conversation's mode.
func settingMode(conversation int64) string { return fmt.Sprint("voice in ", conversation) }

// queryTimeout is how long a look into the settings may take.
const queryTimeout = 5 * time.Second

// Mode is whether the answers of a conversation are said.
func (v *Voices) Mode(ctx context.Context, c supervisor.Conversation) (supervisor.VoiceMode, error) {
	mode, _, err := v.o.Settings.Find(ctx, c.User, settingMode(c.ID))
	return cmp.Or(supervisor.VoiceMode(mode), supervisor.VoiceOff), err
}

// HoldsText says whether the answers of a conversation come as voice messages alone, so that they
// don't grow in sight.
func (v *Voices) HoldsText(c supervisor.Conversation) bool {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	mode, err := v.Mode(ctx, c)
	return err == nil && mode == supervisor.VoiceOnly
}

// ModeOf is how one answer of a conversation is said. Where the text has what can't be said, it is
// sent too.
func (v *Voices) ModeOf(c supervisor.Conversation, text string) supervisor.VoiceMode {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	mode, err := v.Mode(ctx, c)
	if err != nil || !c.Channel.Capabilities().Voice || mode != supervisor.VoiceOn && mode != supervisor.VoiceOnly {
		return supervisor.VoiceOff
	}
	text, noted := claim.CutNote(text)
	switch speech := markdown.Speakable(text); {
	case len(speech.Parts) == 0:
		return supervisor.VoiceOff
	case speech.Code || speech.Cut || noted:
		return supervisor.VoiceOn
	}
	return mode
}

// SetMode keeps whether the answers of a conversation are said. Its error is for the person.
func (v *Voices) SetMode(ctx context.Context, c supervisor.Conversation, mode supervisor.VoiceMode) error {
	missing := v.o.Engine().Missing
	switch {
	case mode != supervisor.VoiceOff && !c.Channel.Capabilities().Voice:
		return supervisor.Errorf(supervisor.CodeUnavailable, textNoVoiceHere)
	case mode != supervisor.VoiceOff && missing != "":
		return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: missing}
	}
	return v.o.Settings.Put(ctx, c.User, settingMode(c.ID), string(mode))
}

// Forbid keeps that a conversation's chat takes no voice messages, and tells its person so.
func (v *Voices) Forbid(ctx context.Context, c supervisor.Conversation) error {
	mode, err := v.Mode(ctx, c)
	if err != nil || mode == supervisor.VoiceForbidden {
		return err
	}
	if err := v.o.Say(ctx, supervisor.Delivery{Conversation: supervisor.Conversation{ID: c.ID}, Text: textForbidden}); err != nil {
		return err
	}
	v.o.Queued(c.ID)
	return v.o.Settings.Put(ctx, c.User, settingMode(c.ID), string(supervisor.VoiceForbidden))
}

// Chosen lists the names of the voices that there are, and which of them is a person's. Its error
// is for the person.
func (v *Voices) Chosen(ctx context.Context, user string) (names []string, chosen string, err error) {
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

// Choose keeps a person's voice. Its error is for the person.
func (v *Voices) Choose(ctx context.Context, user, name string) error {
	engine := v.o.Engine()
	if _, there := engine.Voices[name]; !there {
		return supervisor.Errorf(supervisor.CodeNotFound, textNoSuchVoice)
	}
	return v.o.Settings.Put(ctx, user, settingVoice, name)
}
