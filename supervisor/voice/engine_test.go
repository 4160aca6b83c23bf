package voice

import (
	"testing"

	"mews/protocol"
)

func TestNewEngine_EachKind_FollowsConfiguration(t *testing.T) {
	for kind, c := range map[string]struct {
		named   string            // the configured voice
		voices  map[string]string // the configured voices
		missing string
		voice   string // the voice in use, and the engine's name of this voice
		called  string
		records bool // whether recordings are made without a worker
	}{
		engineEspeak:  {voice: "english", called: "en-us"},
		"piper":       {named: "amy", voices: map[string]string{"amy": "amy.onnx"}, voice: "amy", called: "amy.onnx"},
		engineCommand: {},
		engineEndpoint: {named: "ash", voices: map[string]string{"ash": "a1"}, voice: "ash", called: "a1",
			records: true},
		engineOff: {missing: textNoSpeech},
	} {
		e := NewEngine(EngineConfig{VoiceEngine: protocol.VoiceEngine{Engine: kind}, Voice: c.named, Voices: c.voices})
		if e.Engine != kind || e.Missing != c.missing || e.Voice != c.voice || e.Voices[e.Voice] != c.called {
			t.Errorf("%s: got %+v", kind, e)
		}
		if (e.Record != nil) != c.records {
			t.Errorf("%s: it records without a worker: %v", kind, e.Record != nil)
		}
	}
}

func TestNewEngine_UnknownEspeakVoice_IsUsedByName(t *testing.T) {
	e := NewEngine(EngineConfig{VoiceEngine: protocol.VoiceEngine{Engine: engineEspeak}, Voice: "pt"})
	if e.Voices["pt"] != "pt" || e.Voices["german"] != "de" {
		t.Errorf("got %+v", e.Voices)
	}
	if espeakVoices["pt"] != "" {
		t.Error("the table of voices was changed")
	}
}
