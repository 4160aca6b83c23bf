package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// recording returns a recording with the given number of bytes.
func recording(format string, bytes int) modelcall.Recording {
	return modelcall.Recording{Format: format, Size: int64(bytes), Bytes: io.LimitReader(endlessBody{}, int64(bytes))}
}

type endlessBody struct{}

func (endlessBody) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// transcribesAs returns a fake server that always gives the same transcription.
func transcribesAs(answer modeltest.Answer) *modeltest.Server {
	fake := modeltest.NewUnstartedServer(func(modeltest.Request) modeltest.Answer { return answer })
	fake.Key, fake.Models = "sk-secret", []string{"whisper-1", "gpt-4o-mini-transcribe"}
	return fake
}

func TestTranscribe_Recording_ReturnsText(t *testing.T) {
	fake := transcribesAs(modeltest.Answer{Text: "Buy milk."})
	p := speakerAt(t, fake)
	for model, want := range map[string]protocol.TranscribeResult{
		"whisper-1":              {Text: "Buy milk.", Language: "english", Seconds: 1},
		"gpt-4o-mini-transcribe": {Text: "Buy milk."}, // this model returns neither language nor length
	} {
		r := recording("ogg", 3000)
		r.Language = "en"
		got, err := p.Transcribe(t.Context(), model, r)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", model, got, err)
		}
	}
	for _, r := range fake.Requests() {
		if len(r.Raw) != 3000 {
			t.Errorf("sent were %d bytes", len(r.Raw))
		}
	}
}

// answersWith returns a server that always responds with the same body.
func answersWith(kind, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	})
}

func TestTranscribe_ServerData_IsChecked(t *testing.T) {
	const kind = "application/json; charset=utf-8"
	for body, want := range map[string]protocol.TranscribeResult{
		`{"text": "", "duration": "8.4"}`:                                      {Seconds: 9},
		`{"text": "a", "usage": {"seconds": 3}}`:                               {Text: "a", Seconds: 3},
		`{"text": "a", "duration": -5}`:                                        {Text: "a"},
		`{"text": "a", "duration": 1e300}`:                                     {Text: "a"},
		`{"text": "a", "language": "a\nb"}`:                                    {Text: "a"},
		`{"text": "a", "language": "` + strings.Repeat("x", 21) + `"}`:         {Text: "a"},
		`{"text": "a", "language": "German", "segments": [{"text": "other"}]}`: {Text: "a", Language: "german"},
	} {
		got, err := speakerAt(t, answersWith(kind, body)).Transcribe(t.Context(), "whisper-1", recording("ogg", 100))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestTranscribe_BadAnswer_Fails(t *testing.T) {
	const kind = "application/json"
	for name, c := range map[string]struct {
		at    http.Handler
		model string
		r     modelcall.Recording
		class modelcall.ErrorClass
		after time.Duration
		free  bool
	}{
		"no such model": {transcribesAs(modeltest.Answer{}), "whisper-9", recording("ogg", 100),
			modelcall.ModelMissing, 0, true},
		"no such format": {transcribesAs(modeltest.Answer{}), "whisper-1", recording("aiff", 100),
			modelcall.RequestRefused, 0, true},
		"nothing in it": {transcribesAs(modeltest.Answer{}), "whisper-1", recording("ogg", 0),
			modelcall.RequestRefused, 0, true},
		"too large": {transcribesAs(modeltest.Answer{}), "whisper-1", recording("ogg", 27<<20),
			modelcall.RequestTooLong, 0, true},
		"wrong key": {transcribesAs(modeltest.Answer{Fail: &modeltest.Failure{Class: modeltest.FailureWrongKey}}),
			"whisper-1", recording("ogg", 100), modelcall.AuthFailed, 0, true},
		"too many": {transcribesAs(modeltest.Answer{Status: 429, Error: "slow down", Retry: 7}), "whisper-1", recording("ogg", 100), modelcall.RateLimited, 7 * time.Second, true},
		"its own trouble": {transcribesAs(modeltest.Answer{Status: 500, Error: "sk-secret"}), "whisper-1",
			recording("ogg", 100), modelcall.ServerError, 0, true},
		"a proxy gave up": {transcribesAs(modeltest.Answer{Status: 504}), "whisper-1", recording("ogg", 100),
			modelcall.ServerError, 0, false},
		"a page": {answersWith("text/html", "<p>sk-secret</p>"), "whisper-1", recording("ogg", 100),
			modelcall.ModelMissing, 0, false},
		"no JSON": {answersWith(kind, `{"text": "sk-secret`), "whisper-1", recording("ogg", 100),
			modelcall.MalformedAnswer, 0, false},
		"no text": {answersWith(kind, `{"words": "sk-secret"}`), "whisper-1", recording("ogg", 100),
			modelcall.MalformedAnswer, 0, false},
		"more than is kept": {answersWith(kind, `{"text": "`+strings.Repeat("a", protocol.MaxTranscriptBytes+1)+`"}`),
			"whisper-1", recording("ogg", 100), modelcall.MalformedAnswer, 0, false},
		"more than is read": {answersWith(kind, strings.Repeat(" ", maxTranscription+1)), "whisper-1", recording("ogg",
			100), modelcall.MalformedAnswer, 0, false},
		"the file is cut": {transcribesAs(modeltest.Answer{}), "whisper-1", modelcall.Recording{Format: "ogg",
			Size: 100, Bytes: strings.NewReader("x")}, modelcall.NetworkError, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := speakerAt(t, c.at).Transcribe(t.Context(), c.model, c.r)
			failed := new(modelcall.Error)
			if got != (protocol.TranscribeResult{}) || !errors.As(err, &failed) || failed.Class != c.class || failed.RetryAfter != c.after {
				t.Fatalf("%+v, %#v, %v", got, failed, err)
			}
			if c.free && !failed.Free || failed.Err.Message == "" || strings.Contains(err.Error()+failed.Err.Message, "sk-secret") {
				t.Errorf("%+v, %v", failed, err)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := speakerAt(t, transcribesAs(modeltest.Answer{})).Transcribe(ctx, "whisper-1", recording("ogg", 100)); !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
	}
}

func TestTranscribe_Silence_EndsCall(t *testing.T) {
	p := speakerAt(t, transcribesAs(modeltest.Answer{Hang: true}))
	p.thinking = time.Millisecond
	_, err := p.Transcribe(t.Context(), "whisper-1", recording("ogg", 100))
	if failed := new(modelcall.Error); !errors.As(err, &failed) || failed.Class != modelcall.StreamStalled {
		t.Errorf("%v", err)
	}
}
