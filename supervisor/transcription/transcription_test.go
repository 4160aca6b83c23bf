package transcription_test

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

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/foreign/foreigntest"
	"mews/supervisor"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
	"mews/supervisor/transcription"
)

// fakeOperations is a fake that returns the results that a test sets.
type fakeOperations struct {
	started []supervisor.Operation
	exists  bool // whether an operation for the attachment exists already
	state   supervisor.OperationState
	result  string
	wait    func()
	seconds atomic.Int64 // seconds of the recording that are transcribed
}

func (o *fakeOperations) TranscribedSeconds(int64) int { return int(o.seconds.Load()) }

func (o *fakeOperations) HasOperation(context.Context, supervisor.Operation) bool { return o.exists }

func (o *fakeOperations) RunOperation(ctx context.Context, op supervisor.Operation, meanwhile func(context.Context,
	int64)) (supervisor.Operation, bool) {
	op.ID = 7
	o.started = append(o.started, op)
	var running sync.WaitGroup
	defer running.Wait()
	during, end := context.WithCancel(ctx)
	defer end()
	if meanwhile != nil {
		running.Go(func() { meanwhile(during, op.ID) })
	}
	if o.wait != nil {
		o.wait()
	}
	op.State, op.Result = o.state, o.result
	return op, ctx.Err() == nil
}

// rig is a Transcriber with fakes.
type rig struct {
	fakeOperations
	*transcription.Transcriber
	missing    string
	said       []supervisor.Delivery
	shown      []supervisor.Delivery
	begunTexts []string // the texts with which turns begin
}

// newEndpointRig returns a rig with a server that returns this result.
func newEndpointRig(result protocol.TranscribeResult, err error) (r *rig, asked *[]string) {
	r, asked = &rig{}, &[]string{}
	r.Transcriber = transcription.New(transcription.Options{
		Operations: &r.fakeOperations, MaxLength: time.Hour, ShowText: true, Log: hclog.NewNullLogger(),
		Engine: func(context.Context, string) (protocol.SpeechEngine, string) {
			return protocol.SpeechEngine{Language: "de"}, ""
		},
		Endpoint: func(_ context.Context, r transcription.Recording, language string) (protocol.TranscribeResult, error) {
			*asked = append(*asked, language+" "+r.Path)
			return result, err
		},
		Say: func(_ context.Context, d supervisor.Delivery) error {
			r.said = append(r.said, d)
			return nil
		},
	})
	return r, asked
}

func TestTranscribe_Endpoint_ReplacesWorker(t *testing.T) {
	r, asked := newEndpointRig(protocol.TranscribeResult{Text: "Milch.", Language: "de", Seconds: 14}, nil)
	if got, _ := r.Transcribe(t.Context(), voice()); got != "[voice, 0:14, de] Milch." || len(r.started) != 1 || r.said[0].Text != "Heard:\n> Milch." ||
		!slices.Equal(*asked, []string{"de " + voice().Path}) {
		t.Errorf("the model reads %q, told %+v, asked %q, begun %+v", got, r.said, *asked, r.started)
	}
	for want, err := range map[string]error{
		"The key is wrong.": &modelcall.Error{Class: modelcall.AuthFailed,
			Err: &supervisor.Error{Message: "The key is wrong.", Err: errors.New("secret")}},
		"something went wrong; the log says what. Trying again may help.": errors.New("secret"),
	} {
		r, _ := newEndpointRig(protocol.TranscribeResult{}, err)
		got, _ := r.Transcribe(t.Context(), voice())
		if !strings.Contains(got, "could not be transcribed") || len(r.said) != 1 || !strings.Contains(r.said[0].Text, want) ||
			strings.Contains(got+r.said[0].Text, "secret") || len(r.said[0].Buttons) != 1 {
			t.Errorf("%v: the model reads %q, told %+v", err, got, r.said)
		}
	}
}

// The worker keeps the server's text, so a service that was killed does not ask the server again.
func TestTranscribe_AfterRestart_AsksServerOnce(t *testing.T) {
	r, asked := newEndpointRig(protocol.TranscribeResult{Text: "Milch. Milch.", Language: "de", Seconds: 14}, nil)
	r.setResult(protocol.TranscribeResult{Text: "Milch.", Language: "de", Seconds: 13, Path: "uploads/x.txt"})
	want := "[voice, 0:13, de] Milch.\n[The text is also in uploads/x.txt.]"
	if got, _ := r.Transcribe(t.Context(), voice()); got != want || !strings.Contains(r.started[0].Parameters, `"heard":{"text":"Milch. Milch.","language":"de"}`) {
		t.Errorf("the model reads %q, begun %+v", got, r.started)
	}
	r.exists = true
	if got, _ := r.Transcribe(t.Context(), voice()); got != want || len(*asked) != 1 || r.started[1].Inbound != 5 || r.started[1].Position != 1 {
		t.Errorf("after a crash: the model reads %q, asked %q, begun %+v", got, *asked, r.started)
	}
	r.exists, r.state = false, supervisor.OperationFailed
	if got, _ := r.Transcribe(t.Context(), voice()); got != "[voice, 0:14, de] Milch. Milch." {
		t.Errorf("without a worker: the model reads %q", got)
	}
}

func newRig(echo bool) *rig {
	r := &rig{}
	r.Transcriber = transcription.New(transcription.Options{
		Operations: &r.fakeOperations, MaxLength: time.Hour, ShowText: echo, Log: hclog.NewNullLogger(),
		Engine: func(_ context.Context, user string) (protocol.SpeechEngine, string) {
			return protocol.SpeechEngine{Engine: "command", Language: user}, r.missing
		},
		Say: func(_ context.Context, d supervisor.Delivery) error {
			r.said = append(r.said, d)
			return nil
		},
		Show: func(_ context.Context, d supervisor.Delivery) error {
			r.shown = append(r.shown, d)
			return nil
		},
		Begin: func(_ context.Context, _ supervisor.Conversation, _ int64, text string) error {
			r.begunTexts = append(r.begunTexts, text)
			return nil
		},
	})
	return r
}

// setResult makes the operation end with a result.
func (r *rig) setResult(result protocol.TranscribeResult) {
	text, _ := json.Marshal(result)
	r.state, r.result = supervisor.OperationDone, string(text)
}

func voice() transcription.Recording {
	return transcription.Recording{Conversation: supervisor.Conversation{ID: 3, User: "ann"}, Inbound: 5, Position: 1,
		Kind: protocol.AttachmentVoice, Path: "uploads/2026-11-20/131905-voice.ogg", Seconds: 14}
}

func TestTranscribe_Speech_ReachesModelAndUser(t *testing.T) {
	r := newRig(true)
	r.setResult(protocol.TranscribeResult{Text: "Buy milk.\nAnd bread.", Language: "en", Seconds: 14, Path: "uploads/x.txt"})
	got, _ := r.Transcribe(t.Context(), voice())
	if want := "[voice, 0:14, en] Buy milk.\nAnd bread.\n[The text is also in uploads/x.txt.]"; got != want {
		t.Errorf("the model reads %q, want %q", got, want)
	}
	if len(r.said) != 1 || r.said[0].Text != "Heard:\n> Buy milk.\n> And bread." || r.said[0].Conversation.ID != 3 || r.said[0].Inbound != 5 || r.said[0].Buttons != nil {
		t.Errorf("told %+v", r.said)
	}
	op := r.started[0]
	if op.User != "ann" || op.Inbound != 5 || op.Position != 1 || op.Kind != protocol.OperationKindTranscribe ||
		op.Parameters != `{"path":"uploads/2026-11-20/131905-voice.ogg","seconds":116,"engine":{"engine":"command",`+
			`"language":"ann"}}` {
		t.Errorf("done was %+v", op)
	}
	quiet := newRig(false)
	quiet.setResult(protocol.TranscribeResult{Text: "Buy milk.", Seconds: 14})
	if got, _ := quiet.Transcribe(t.Context(), voice()); got != "[voice, 0:14] Buy milk." || len(quiet.said) > 0 {
		t.Errorf("without echo: %q, told %+v", got, quiet.said)
	}
}

func TestTranscribe_Silence_HasNoWords(t *testing.T) {
	r := newRig(false)
	r.setResult(protocol.TranscribeResult{Seconds: 14})
	got, _ := r.Transcribe(t.Context(), voice())
	if !strings.Contains(got, "Nobody speaks in it") || len(r.said) != 1 || !strings.HasPrefix(r.said[0].Text, "I hear no words") {
		t.Errorf("the model reads %q, told %+v", got, r.said)
	}
}

// TestTranscribe_NoWords_TellsOnlyVoiceSenders: a film without speech is no failed
// dictation. A command that named the recording always gets an answer.
func TestTranscribe_NoWords_TellsOnlyVoiceSenders(t *testing.T) {
	silent, noSound := protocol.TranscribeResult{Seconds: 14},
		protocol.TranscribeResult{Failure: protocol.SpeechFailureNoSound}
	again := "closer to the microphone"
	for _, c := range []struct {
		kind   protocol.AttachmentKind
		result protocol.TranscribeResult
		told   string // part of the message for the user; "" means no message
		reads  string
	}{
		{protocol.AttachmentVoice, silent, again, "[voice, 0:14] Nobody speaks in it."},
		{protocol.AttachmentVideoNote, silent, again, "[round video, 0:14] Nobody speaks in it."},
		{protocol.AttachmentVideo, silent, "", "[video, 0:14] Nobody speaks in it."},
		{protocol.AttachmentAnimation, silent, "", "Nobody speaks in it."},
		{protocol.AttachmentDocument, silent, "", "[recording, 0:14] Nobody speaks in it."},
		{protocol.AttachmentAudio, silent, "", "[audio, 0:14] Nobody speaks in it."},
		{protocol.AttachmentVoice, noSound, "Record it again", "could not be transcribed"},
		{protocol.AttachmentVideo, noSound, "", "[video, 0:14] Nobody speaks in it."},
		{protocol.AttachmentDocument, noSound, "", "Nobody speaks in it."},
		{protocol.AttachmentVideo, protocol.TranscribeResult{Failure: protocol.SpeechFailureNoFFmpeg}, "no ffmpeg",
			"could not be transcribed"},
		{protocol.AttachmentVideo, protocol.TranscribeResult{Failure: protocol.SpeechFailureNoFile}, "There is no file",
			"There is no file"},
	} {
		r := newRig(true)
		r.setResult(c.result)
		recording := voice()
		recording.Kind = c.kind
		got, _ := r.Transcribe(t.Context(), recording)
		if !strings.Contains(got, c.reads) || (len(r.said) == 1) != (c.told != "") || c.told != "" &&
			!strings.Contains(r.said[0].Text, c.told) {
			t.Errorf("%s, %+v: the model reads %q, told %+v", c.kind, c.result, got, r.said)
		}
	}
}

// TestTranscribeCommand_NoWords_SaysWhy: a missing file is called missing, a silent file silent,
// and a file whose path only looks the same is transcribed and named.
func TestTranscribeCommand_NoWords_SaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		result protocol.TranscribeResult
		want   string
		reads  string
	}{
		"missing": {protocol.TranscribeResult{Failure: protocol.SpeechFailureNoFile},
			"There is no file `v 1.ogg` in your folder. /files lists what you have sent.", ""},
		"silent": {protocol.TranscribeResult{Seconds: 14}, "Nobody speaks in `v 1.ogg` (0:14).", ""},
		"no sound": {protocol.TranscribeResult{Failure: protocol.SpeechFailureNoSound},
			"I can't transcribe your recording: the recording has no sound that I can read. It is kept: `v " +
				"1.ogg`.", ""},
		"another": {protocol.TranscribeResult{Text: "Milch.", Seconds: 14, Recording: "v\u00a01.ogg"},
			"Heard:\n> Milch.",
			"[recording, 0:14] Milch.\n[No file has exactly that path. v\u00a01.ogg looks the same, so that file " +
				"was used.]"},
	} {
		r := newRig(true)
		r.setResult(c.result)
		got := featuretest.RunCommand(t, r.Feature(), supervisor.Inbound{Kind: supervisor.KindCommand,
			Text:         "/transcribe v 1.ogg",
			Conversation: supervisor.Conversation{ID: 3, User: "ann"}})
		if got.Text != c.want || name == "missing" && got.Buttons != nil || c.reads != "" && !slices.Equal(r.begunTexts,
			[]string{c.reads}) {
			t.Errorf("%s: told %q with %v, begun with %q", name, got.Text, got.Buttons, r.begunTexts)
		}
	}
}

// After a failure the model gets no words, and the user may try again.
func TestTranscribe_Failure_SaysWhyAndOffersRetry(t *testing.T) {
	var sentences []string
	for _, failure := range []protocol.SpeechFailure{protocol.SpeechFailureNoProgram, protocol.SpeechFailureNoModel,
		protocol.SpeechFailureProgramFailed, protocol.SpeechFailureOutOfMemory,
		protocol.SpeechFailureTimeout, protocol.SpeechFailureNoSound, protocol.SpeechFailureTooLong,
		protocol.SpeechFailureNoFFmpeg} {
		r := newRig(false)
		r.setResult(protocol.TranscribeResult{Failure: failure, Detail: "secret of the home"})
		got, _ := r.Transcribe(t.Context(), voice())
		if !strings.Contains(got, "could not be transcribed") || !strings.Contains(got, "uploads/2026-11-20/131905-voice.ogg") || strings.HasPrefix(got, "[") {
			t.Errorf("%s: the model reads %q", failure, got)
		}
		if len(r.said) != 1 || len(r.said[0].Buttons) != 1 || strings.Contains(r.said[0].Text, "secret") ||
			r.said[0].Buttons[0][0].Press != "tr:14:uploads/2026-11-20/131905-voice.ogg" {
			t.Errorf("%s: told %+v", failure, r.said)
			continue
		}
		if slices.Contains(sentences, r.said[0].Text) {
			t.Errorf("%s: another has the sentence %q", failure, r.said[0].Text)
		}
		sentences = append(sentences, r.said[0].Text)
	}
}

func TestTranscribe_RefusedRecording_StartsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		missing, want string
		change        func(*transcription.Recording)
	}{
		"without a model": {"there is no model.", "there is no model.", func(*transcription.Recording) {}},
		"too long": {"", "the recording is 1:00:01 long, and I transcribe at most " +
			"1:00:00", func(r *transcription.Recording) { r.Seconds = 3601 }},
		"long audio file": {"", "nobody asked for it", func(r *transcription.Recording) { r.Kind, r.Seconds = protocol.AttachmentAudio, 600 }},
	} {
		r := newRig(true)
		r.missing = c.missing
		recording := voice()
		c.change(&recording)
		if got, _ := r.Transcribe(t.Context(), recording); !strings.Contains(got, c.want) || len(r.started) > 0 {
			t.Errorf("%s: the model reads %q, begun %+v", name, got, r.started)
		}
		for _, d := range r.said {
			if d.Buttons != nil {
				t.Errorf("%s: to try it again is no use: %+v", name, d)
			}
		}
	}
}

func TestTranscribe_LongPath_HasNoButton(t *testing.T) {
	for _, path := range []string{"uploads/2026-11-20/131905-a-name-that-is-much-too-long-for-it.ogg", "uploads/2026-11-20/131905-grüß.ogg"} {
		r := newRig(true)
		r.state, r.result = supervisor.OperationParked, "It was put aside."
		recording := voice()
		recording.Path = path
		if got, _ := r.Transcribe(t.Context(), recording); !strings.Contains(got, "It was put aside.") || len(r.said) != 1 || r.said[0].Buttons != nil ||
			!strings.Contains(r.said[0].Text, path) {
			t.Errorf("the model reads %q, told %+v", got, r.said)
		}
	}
}

// If a second try succeeds, its text begins a turn.
func TestRetryTranscription_Speech_BeginsTurn(t *testing.T) {
	r := newRig(true)
	var begun []string
	begin := func(text string) error { begun = append(begun, text); return nil }
	asked := transcription.Recording{Conversation: voice().Conversation, Inbound: 9, Path: "a.ogg"}
	r.setResult(protocol.TranscribeResult{Failure: protocol.SpeechFailureTimeout})
	told, err := r.RetryTranscription(t.Context(), asked, begin)
	if err != nil || !strings.Contains(told.Text, "takes too long") || len(begun) > 0 || len(r.said) > 0 {
		t.Errorf("told %+v, %v, begun with %q", told, err, begun)
	}
	r.setResult(protocol.TranscribeResult{Text: "Milk.", Seconds: 5})
	told, err = r.RetryTranscription(t.Context(), asked, begin)
	if err != nil || told.Text != "Heard:\n> Milk." || !slices.Equal(begun, []string{"[recording, 0:05] Milk."}) {
		t.Errorf("told %+v, %v, begun with %q", told, err, begun)
	}
	if !strings.Contains(r.started[1].Parameters, `"seconds":3600`) {
		t.Errorf("done was %+v", r.started[1])
	}
}

func TestTranscribe_Cancelled_SaysNothing(t *testing.T) {
	// nil means that the service ends
	for _, why := range []error{errors.New("the user has dropped it"), nil} {
		r := newRig(true)
		ctx, cancel := context.WithCancelCause(t.Context())
		r.wait = func() { cancel(why) }
		r.Transcribe(ctx, voice())
		if len(r.said) > 0 {
			t.Errorf("%v: told %+v", why, r.said)
		}
	}
}

// The caller gets the text or the reason, and nobody else is told.
func TestTranscribeSilently_SendsNoMessage(t *testing.T) {
	r := newRig(true)
	recording := voice()
	recording.Seconds = 0
	want := protocol.TranscribeResult{Text: "Milk.", Language: "en", Seconds: 5}
	r.setResult(want)
	if got, err := r.TranscribeSilently(t.Context(), recording); err != nil || got != want {
		t.Errorf("heard %+v, %v, want %+v", got, err, want)
	}
	if !strings.Contains(r.started[0].Parameters, `"seconds":3600`) {
		t.Errorf("done was %+v", r.started[0])
	}
	r.setResult(protocol.TranscribeResult{Failure: protocol.SpeechFailureNoModel, Detail: "secret of the home"})
	_, failed := r.TranscribeSilently(t.Context(), recording)
	r.missing = "nobody listens."
	_, missing := r.TranscribeSilently(t.Context(), recording)
	if got := problem.UserText(failed); !strings.HasPrefix(got,
		"the recording was not transcribed: the speech model is missing") {
		t.Errorf("said is %q", got)
	}
	if got := problem.UserText(missing); got != "the recording was not transcribed: nobody listens." {
		t.Errorf("said is %q", got)
	}
	if len(r.said) > 0 {
		t.Errorf("told %+v", r.said)
	}
}

func TestTranscribe_ForgedMarks_AreIndented(t *testing.T) {
	for _, list := range []map[string]string{foreigntest.ForgedStampTexts, foreigntest.ForgedMarkTexts} {
		for name, text := range list {
			r := newRig(false)
			r.setResult(protocol.TranscribeResult{Text: text, Language: "en] [x", Seconds: 14})
			got, _ := r.Transcribe(t.Context(), voice())
			head, _, _ := strings.Cut(got, "] ")
			if foreigntest.FindForgedLine(got) != "" || strings.Contains(got, "\n[") || strings.Count(head, "[") != 1 {
				t.Errorf("%s passes for a mark: %q", name, got)
			}
		}
	}
}
