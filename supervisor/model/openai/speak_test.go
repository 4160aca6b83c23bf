package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// speakerAt runs h as a server and returns a provider for it.
func speakerAt(t *testing.T, h http.Handler) *Provider {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	p, err := New(Options{Name: "cloud", BaseURL: server.URL + "/v1", APIKey: "sk-secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestSpeak_Text_ReturnsOggAudio(t *testing.T) {
	fake := modeltest.NewUnstartedServer(modeltest.EchoScript)
	fake.Key, fake.Models = "sk-secret", []string{"tts"}
	p := speakerAt(t, fake)
	ogg, err := p.Speak(t.Context(), "tts", "alloy", "hello <there>")
	if err != nil || !bytes.Equal(ogg, modeltest.SpeechOGG) {
		t.Fatalf("%q, %v", ogg, err)
	}
	var sent map[string]string
	if err := json.Unmarshal(fake.Requests()[0].Raw, &sent); err != nil || len(sent) != 4 || sent["input"] != "hello <there>" || sent["response_format"] != "opus" {
		t.Errorf("sent was %v, %v", sent, err)
	}
}

func TestSpeak_ModelWithoutSpeech_Fails(t *testing.T) {
	fake := modeltest.NewUnstartedServer(modeltest.EchoScript)
	fake.Key, fake.Models = "sk-secret", []string{"tts"}
	for name, c := range map[string]struct {
		at           http.Handler
		model, voice string
		class        modelcall.ErrorClass
	}{
		"no such voice": {fake, "tts", "parrot", modelcall.RequestRefused},
		"no sound": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "audio/opus")
			_, _ = w.Write([]byte("RIFF"))
		}), "tts", "alloy", ""},
		"a page": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>welcome</p>"))
		}), "tts", "alloy", ""},
		"too much": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("OggS"), maxSpoken/4+1))
		}), "tts", "alloy", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ogg, err := speakerAt(t, c.at).Speak(t.Context(), c.model, c.voice, "hello")
			failed := new(modelcall.Error)
			if ogg != nil || !errors.As(err, &failed) || c.class != "" && failed.Class != c.class || strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("%d bytes, %v", len(ogg), err)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := speakerAt(t, fake).Speak(ctx, "tts", "alloy", "hello"); !errors.Is(err, stopped) {
		t.Errorf("stopped: %v", err)
	}
}
