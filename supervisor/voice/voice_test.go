package voice_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/claim"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/voice"
)

// rig is a database with a conversation of alice, and a fake worker that speaks.
type rig struct {
	*testing.T
	db      *sqlite.DB
	home    supervisor.Conversation
	queued  chan int64
	engine  voice.Engine
	keys    int
	hanging atomic.Int64 // counts operations that hang
	gone    atomic.Bool  // whether alice is no longer served
	asked   chan bool    // receives each result of IsServed

	mu      sync.Mutex // guards the fields below
	started []protocol.SpeakParameters
	shown   int
	result  protocol.SpeakResult
	hangs   bool // whether operations of the worker hang
	left    int  // number of writes after which the process ends; 0 means that it does not end
	end     context.CancelFunc
}

// store writes only until the simulated end of the process.
type store struct {
	sqlite.SpokenAnswers
	r *rig
}

// write does one write. The last allowed write ends the process.
func (s store) write(ctx context.Context, do func() error) error {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err := do()
	if s.r.left--; s.r.left == 0 {
		s.r.end()
	}
	return err
}

func (s store) PutOperations(ctx context.Context, delivery int64, operations []int64) error {
	return s.write(ctx, func() error { return s.SpokenAnswers.PutOperations(ctx, delivery, operations) })
}

func (s store) PutRecordings(ctx context.Context, delivery int64, files []supervisor.File) error {
	return s.write(ctx, func() error { return s.SpokenAnswers.PutRecordings(ctx, delivery, files) })
}

func (s store) MarkFailed(ctx context.Context, delivery int64, why string) error {
	return s.write(ctx, func() error { return s.SpokenAnswers.MarkFailed(ctx, delivery, why) })
}

var opus = protocol.BlobRef{SHA256: strings.Repeat("ab", 32), Size: 9}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, asked: make(chan bool, 100), db: sqlitetest.Open(t), queued: make(chan int64, 100),
		result: protocol.SpeakResult{Blob: opus, Seconds: 2},
		engine: voice.Engine{VoiceEngine: protocol.VoiceEngine{Engine: "espeak"}, Voices: map[string]string{"alan": "en-gb", "ben": "de"}}}
	var err error
	r.home, err = r.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTelegram, "7", "")
	r.must(err)
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// Start stores an operation that is done at once.
func (r *rig) Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	var p protocol.SpeakParameters
	if err := protocol.DecodeStrict([]byte(op.Parameters), &p); err != nil || op.Kind != protocol.OperationKindSpeak ||
		op.User != "alice" {
		r.Errorf("started %+v, %v", op, err)
	}
	err := store{r: r}.write(ctx, func() (err error) {
		r.started = append(r.started, p)
		op, err = r.db.Operations().Put(ctx, op)
		return err
	})
	return op, err
}

func (r *rig) Wait(ctx context.Context, id int64) (supervisor.Operation, error) {
	r.mu.Lock()
	hangs, result := r.hangs, r.result
	r.mu.Unlock()
	if hangs {
		r.queued <- -id
		<-ctx.Done()
		r.hanging.Add(1)
		return supervisor.Operation{}, context.Cause(ctx)
	}
	text, _ := json.Marshal(result)
	for _, move := range []func() error{
		func() error { return r.db.Operations().ChangeState(ctx, id, supervisor.OperationRunning, "") },
		func() error { return r.db.Operations().ChangeState(ctx, id, supervisor.OperationDone, string(text)) },
	} {
		if op, _, err := r.db.Operations().Find(ctx, id); err == nil && op.State != supervisor.OperationDone {
			if err := (store{r: r}).write(ctx, move); ctx.Err() != nil {
				return op, err
			}
		}
	}
	op, there, err := r.db.Operations().Find(ctx, id)
	if !there {
		err = errors.Join(err, errors.New("there is no such operation"))
	}
	return op, err
}

func (r *rig) serves(string) bool {
	served := !r.gone.Load()
	r.asked <- served
	return served
}

// runVoices runs an AnswerSpeaker until end is called.
func (r *rig) runVoices() (v *voice.AnswerSpeaker, end func()) {
	v = voice.New(voice.Options{IsServed: r.serves, Store: store{r.db.SpokenAnswers(), r}, Settings: r.db.Settings(),
		Operations: r, Log: hclog.NewNullLogger(),
		Engine: func() voice.Engine { return r.engine }, Queued: func(c int64) { r.queued <- c },
		ShowRecording: func(context.Context, supervisor.Conversation) { r.mu.Lock(); defer r.mu.Unlock(); r.shown++ },
		Say: func(ctx context.Context, d supervisor.Delivery) error {
			_, err := r.db.Outbox().SendNotice(ctx, d)
			return err
		}})
	ctx, cancel := context.WithCancel(context.Background())
	r.mu.Lock()
	r.end = cancel
	r.mu.Unlock()
	ran := make(chan error, 1)
	go func() { ran <- v.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			r.Error(err)
		}
	})
	r.Cleanup(end)
	return v, end
}

// putAnswer ends a turn with an answer to speak.
func (r *rig) putAnswer(text string, mode supervisor.VoiceMode) {
	r.Helper()
	r.keys++
	in, _, err := r.db.Inbox().StoreInbound(r.Context(), supervisor.Inbound{Conversation: r.home, Source: "s",
		Key:  strings.Repeat("k", r.keys),
		Kind: supervisor.KindText, Text: "hi"})
	r.must(err)
	turn, _, err := r.db.Turns().Start(r.Context(), in.ID, nil)
	r.must(err)
	_, err = r.db.Turns().Finish(r.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered,
		Text:  text, Voice: mode})
	r.must(err)
}

// wait waits until the outbox has something new, or an operation hangs.
func (r *rig) wait() {
	r.Helper()
	select {
	case <-r.queued:
	case <-time.After(time.Minute):
		r.Fatal("nothing came")
	}
}

// dueTexts lists the deliveries to send: their texts, and the names of recordings.
func (r *rig) dueTexts() (list []string) {
	r.Helper()
	pending, err := r.db.Outbox().ListPendingInChat(r.Context(), supervisor.ChannelTelegram, "7", 100)
	r.must(err)
	for _, d := range pending {
		for _, f := range d.Files {
			if f.SHA256 != opus.SHA256 || f.Size != opus.Size || f.MediaType != supervisor.MediaTypeVoice || !d.IsRecording {
				r.Errorf("a recording is %+v", f)
			}
			d.Text += f.Name + " "
		}
		list = append(list, strings.TrimSpace(d.Text))
	}
	return list
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if d := cmp.Diff(want, got); d != "" {
		r.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

func TestSpeaker_LongAnswer_HasSeveralRecordings(t *testing.T) {
	r := newRig(t)
	v, _ := r.runVoices()
	long := strings.TrimSpace(strings.Repeat("This sentence is **said**. ", 80))
	r.must(v.ChooseVoice(t.Context(), "alice", "ben"))
	r.putAnswer(long, supervisor.VoiceOn)
	v.Wake()
	r.wait()
	r.same("sent", r.dueTexts(), []string{long, "voice.ogg voice-2.ogg"})
	var said []string
	for _, p := range r.started {
		r.same("voice", p.Voice, "de")
		r.same("engine", p.Engine.Engine, "espeak")
		said = append(said, p.Text)
	}
	r.same("said", strings.Join(said, " "), strings.ReplaceAll(long, "**", ""))
	if r.shown == 0 {
		t.Error("it was not shown that a voice message is made")
	}
}

// The service ends at several points, also while the worker speaks. Each answer is spoken once.
func TestSpeaker_Restart_SpeaksOnce(t *testing.T) {
	r := newRig(t)
	r.putAnswer("hello", supervisor.VoiceOnly)
	r.same("held back", len(r.dueTexts()), 0)
	r.hangs = true
	_, end := r.runVoices()
	r.wait()
	end()
	r.same("after the first restart", len(r.dueTexts()), 0)
	_, end = r.runVoices()
	r.wait()
	end()
	r.hangs = false
	v, _ := r.runVoices()
	r.wait()
	r.same("in the end", r.dueTexts(), []string{"voice.ogg"})
	r.same("started", len(r.started), 1)
	v.Wake()
	r.putAnswer("again", supervisor.VoiceOnly)
	v.Wake()
	r.wait()
	r.same("next answer", r.dueTexts(), []string{"voice.ogg", "voice.ogg"})
}

// If a user is not served any more, running work ends, and nothing starts again.
func TestStopUser_FormerUser_HearsNothing(t *testing.T) {
	r := newRig(t)
	r.putAnswer("hello", supervisor.VoiceOnly)
	r.hangs = true
	v, end := r.runVoices()
	r.wait()
	r.gone.Store(true)
	r.must(v.StopUser(t.Context(), "alice"))
	r.same("ended", r.hanging.Load(), int64(1))
	r.mu.Lock()
	r.hangs = false
	r.mu.Unlock()
	for v.Wake(); <-r.asked; {
	}
	end()
	r.same("due", len(r.dueTexts()), 0)
	r.gone.Store(false)
	r.runVoices()
	r.wait()
	r.same("once they are back", r.dueTexts(), []string{"voice.ogg"})
}

// The process ends after each write, and a new process continues.
func TestSpeaker_DiesAfterEachWrite_SpeaksOnce(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("This sentence is said. ", 80))
	for name, result := range map[string]protocol.SpeakResult{"well": {Blob: opus},
		"badly": {Failure: protocol.SpeechFailureProgramFailed}} {
		for _, mode := range []supervisor.VoiceMode{supervisor.VoiceOn, supervisor.VoiceOnly} {
			for writes := 1; writes <= 9; writes++ {
				r := newRig(t)
				r.result, r.left = result, writes
				r.putAnswer(long, mode)
				_, end := r.runVoices()
				deadline := time.After(time.Minute)
				for len(r.queued) == 0 && r.writesLeft() > 0 {
					select {
					case <-time.After(time.Millisecond):
					case <-deadline:
						t.Fatal("nothing came")
					}
				}
				end()
				r.runVoices()
				for list := r.speeches(); list > 0; list = r.speeches() {
					<-time.After(time.Millisecond)
				}
				want := []string{long, "voice.ogg voice-2.ogg"}
				switch {
				case name == "badly":
					want[1] = "(I could not say this aloud: the program that speaks has failed. I try again with the next answer. /voice off turns my voice off.)"
				case mode == supervisor.VoiceOnly:
					want = want[1:]
				}
				r.same(name+" "+string(mode), r.dueTexts(), want)
			}
		}
	}
}

// writesLeft returns how many writes the process still makes; 0 means that it has ended.
func (r *rig) writesLeft() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// speeches returns how many answers wait for recordings.
func (r *rig) speeches() int {
	r.Helper()
	list, err := r.db.SpokenAnswers().List(r.Context())
	r.must(err)
	return len(list)
}

func TestSpeaker_SpeechFails_SendsText(t *testing.T) {
	for failure, want := range map[protocol.SpeechFailure]string{
		protocol.SpeechFailureNoProgram: "espeak-ng", protocol.SpeechFailureNoModel: "worker.read_only",
		protocol.SpeechFailureProgramFailed: "has failed",
		protocol.SpeechFailureOutOfMemory:   "memory", protocol.SpeechFailureTimeout: "two minutes",
		protocol.SpeechFailureNoSound:  "no sound",
		protocol.SpeechFailureNoFFmpeg: "ffmpeg is not installed", "odd": "the log says what",
	} {
		t.Run(string(failure), func(t *testing.T) {
			r := newRig(t)
			r.result = protocol.SpeakResult{Failure: failure, Detail: "a detail"}
			v, _ := r.runVoices()
			r.putAnswer("hello", supervisor.VoiceOnly)
			v.Wake()
			r.wait()
			got := r.dueTexts()
			if len(got) != 2 || got[0] != "hello" || !strings.HasPrefix(got[1], "(I could not say this aloud: ") ||
				!strings.Contains(got[1], want) || strings.Contains(got[1], "a detail") {
				t.Errorf("sent is %q", got)
			}
			r.putAnswer("more", supervisor.VoiceOn)
			v.Wake()
			r.wait()
			r.same("after a second failure", r.dueTexts()[2:], []string{"more"})
			r.mu.Lock()
			r.result = protocol.SpeakResult{Blob: opus}
			r.mu.Unlock()
			r.putAnswer("well", supervisor.VoiceOn)
			v.Wake()
			r.wait()
			r.same("after recovery", r.dueTexts()[3:], []string{"well", "voice.ogg"})
		})
	}
}

func TestSpeaker_Endpoint_NeedsNoWorker(t *testing.T) {
	r := newRig(t)
	var said []string
	r.engine.Record = func(_ context.Context, turn supervisor.Turn, text, name string) (supervisor.File, error) {
		said = append(said, turn.Conversation.User+" "+name+": "+text)
		if text == "fail." {
			return supervisor.File{}, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "the server is away."}
		}
		return supervisor.File{SHA256: opus.SHA256, Size: opus.Size, Name: "voice.ogg", MediaType: supervisor.MediaTypeVoice}, nil
	}
	v, _ := r.runVoices()
	r.putAnswer("hello\n\n"+claim.Warning(claim.DeedKinds), supervisor.VoiceOnly)
	v.Wake()
	r.wait()
	r.putAnswer("fail", supervisor.VoiceOnly)
	v.Wake()
	r.wait()
	got := r.dueTexts()
	r.same("said", said, []string{"alice en-gb: hello.", "alice en-gb: fail."})
	if len(got) != 3 || got[0] != "voice.ogg" || got[1] != "fail" || !strings.Contains(got[2], "the server is away.") {
		t.Errorf("sent is %q", got)
	}
}

// The mode depends on the conversation and on the text.
func TestAnswerMode_DependsOnModeAndText(t *testing.T) {
	r := newRig(t)
	v, _ := r.runVoices()
	terminal, err := r.db.Conversations().FindOrCreate(t.Context(), "alice", supervisor.ChannelTerminal, "", "")
	r.must(err)
	long := strings.Repeat("This is a sentence. ", 400)
	for _, c := range []struct {
		mode    supervisor.VoiceMode
		text    string
		want    supervisor.VoiceMode
		written string
	}{
		{"", "hello", supervisor.VoiceOff, ""},
		{supervisor.VoiceOn, "hello", supervisor.VoiceOn, ""},
		{supervisor.VoiceOn, "🎉", supervisor.VoiceOff, ""},
		{supervisor.VoiceOn, long, supervisor.VoiceOn, ""},
		{supervisor.VoiceOnly, "hello", supervisor.VoiceOnly, ""},
		{supervisor.VoiceOnly, "Do this:\n\n```\nmake\n```", supervisor.VoiceOn, voice.TextWrittenBecauseOfCode},
		{supervisor.VoiceOnly, "Do `make` and see [this](https://example.org)", supervisor.VoiceOnly, ""},
		{supervisor.VoiceOnly, long, supervisor.VoiceOn, voice.TextWrittenBecauseTooLong},
		{supervisor.VoiceOnly, "", supervisor.VoiceOff, voice.TextWrittenBecauseSilent},
		{supervisor.VoiceOnly, "🎉", supervisor.VoiceOff, voice.TextWrittenBecauseSilent},
		// text that is not spoken has to be visible
		{supervisor.VoiceOnly, "I saved it.\n\n" + claim.Warning(claim.DeedKinds), supervisor.VoiceOn,
			voice.TextWrittenBecauseOfWarning},
		{supervisor.VoiceOn, claim.Warning(claim.DeedKinds), supervisor.VoiceOff, ""},
		{supervisor.VoiceOff, "hello", supervisor.VoiceOff, ""},
	} {
		if c.mode != "" {
			r.must(v.SetMode(t.Context(), r.home, c.mode))
		}
		if got, written := v.AnswerMode(r.home, c.text); got != c.want || written != c.written {
			t.Errorf("%s, %.20q: %s, %q, want %s, %q", c.mode, c.text, got, written, c.want, c.written)
		}
		if got := v.IsVoiceOnly(r.home); got != (c.mode == supervisor.VoiceOnly) {
			t.Errorf("%s: held back %v", c.mode, got)
		}
	}
	if err := v.SetMode(t.Context(), terminal, supervisor.VoiceOn); !strings.Contains(problem.UserText(err),
		"no voice messages in this chat") {
		t.Errorf("in a terminal: %v", err)
	}
	r.must(v.SetMode(t.Context(), terminal, supervisor.VoiceOff))
	r.engine.Missing = "Nobody speaks."
	if err := v.SetMode(t.Context(), r.home, supervisor.VoiceOnly); problem.UserText(err) != "Nobody speaks." {
		t.Errorf("without an engine: %v", err)
	}
	r.must(v.SetMode(t.Context(), r.home, supervisor.VoiceOff))
}

// If a chat takes no voice messages, the user is told once. Mews does not try again until the user
// turns voice on.
func TestMarkVoiceForbidden_TellsOnceAndStops(t *testing.T) {
	r := newRig(t)
	v, _ := r.runVoices()
	r.must(v.SetMode(t.Context(), r.home, supervisor.VoiceOnly))
	for range 2 {
		r.must(v.MarkVoiceForbidden(t.Context(), r.home))
	}
	got := r.dueTexts()
	if len(got) != 1 || !strings.Contains(got[0], "forbid voice messages") {
		t.Errorf("told is %q", got)
	}
	mode, err := v.ConversationMode(t.Context(), r.home)
	r.must(err)
	r.same("mode", mode, supervisor.VoiceForbidden)
	answered := func(what string, want supervisor.VoiceMode) {
		t.Helper()
		got, written := v.AnswerMode(r.home, "hello")
		r.same(what, got, want)
		r.same(what, written, "")
	}
	answered("answer", supervisor.VoiceOff)
	r.must(v.SetMode(t.Context(), r.home, supervisor.VoiceOn))
	answered("later answer", supervisor.VoiceOn)
}

func TestChooseVoice_IsStored(t *testing.T) {
	r := newRig(t)
	v, _ := r.runVoices()
	chosen := func(want string) {
		t.Helper()
		names, got, err := v.ChosenVoice(t.Context(), "alice")
		r.must(err)
		r.same("names", names, []string{"alan", "ben"})
		r.same("chosen", got, want)
	}
	chosen("alan")
	r.engine.Voice = "ben"
	chosen("ben")
	r.must(v.ChooseVoice(t.Context(), "alice", "alan"))
	chosen("alan")
	if err := v.ChooseVoice(t.Context(), "alice", "carl"); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("a voice that there is not: %v", err)
	}
	files, err := v.RecordSamples(t.Context(), supervisor.Conversation{User: "alice"})
	r.must(err)
	var list []string
	for _, f := range files {
		list = append(list, f.Name+" "+f.Caption+" "+f.MediaType)
	}
	r.same("samples", list, []string{"alan.ogg alan audio/ogg", "ben.ogg ben audio/ogg"})
	if !slices.ContainsFunc(r.started, func(p protocol.SpeakParameters) bool { return p.Text == "Hello, this is ben." && p.Voice == "de" }) {
		t.Errorf("said was %+v", r.started)
	}
	r.result = protocol.SpeakResult{Failure: protocol.SpeechFailureNoFFmpeg}
	if _, err = v.RecordSamples(t.Context(), supervisor.Conversation{User: "alice"}); !strings.Contains(problem.UserText(err), "alan: ffmpeg is not installed") {
		t.Errorf("a sample that can't be made: %v", err)
	}
	r.engine.Missing = "Nobody speaks."
	if _, _, err := v.ChosenVoice(t.Context(), "alice"); problem.UserText(err) != "Nobody speaks." {
		t.Errorf("without an engine: %v", err)
	}
}
