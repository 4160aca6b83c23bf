package doctor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/config"
)

// ValidateSpeechModel refuses a model that is too large, a file that is no model, and a missing
// program.
func TestSpeechModel_TooLarge_IsRefused(t *testing.T) {
	model := filepath.Join(t.TempDir(), "ggml-small.bin")
	header := make([]byte, config.WhisperHeaderBytes)
	binary.LittleEndian.PutUint32(header, 0x67676d6c)
	binary.LittleEndian.PutUint32(header[20:], 12)
	if err := os.WriteFile(model, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(model, 466<<20); err != nil {
		t.Fatal(err)
	}
	cfg := &config.Config{Worker: config.Worker{Memory: config.GiB}}
	cfg.Speech.In = config.SpeechRecognition{Engine: config.SpeechEngineWhisper, Program: "sh", Model: model}
	if err := ValidateSpeechModel(cfg); err != nil {
		t.Errorf("where it fits: %v", err)
	}
	for want, change := range map[string]func(){
		"takes 812.5 MiB":               func() { cfg.Worker.Memory = config.GiB / 2 },
		"takes 1.9 GiB":                 func() { cfg.Speech.In.Longest = 10 * time.Hour },
		"can't be used: it is no model": func() { cfg.Speech.In.Model = "/bin/sh" },
		"no program no-such-whisper":    func() { cfg.Speech.In.Program = "no-such-whisper" },
	} {
		was := *cfg
		change()
		if err := ValidateSpeechModel(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		*cfg = was
	}
	cfg.Speech.In = config.SpeechRecognition{Engine: config.SpeechEngineEndpoint, Program: "no-such-whisper",
		Model: "cloud/whisper-1"}
	if err := ValidateSpeechModel(cfg); err != nil {
		t.Errorf("a server's: %v", err)
	}
	cfg.Speech.In = config.SpeechRecognition{Engine: config.SpeechEngineWhisper, Program: "sh"}
	if err := ValidateSpeechModel(cfg); err != nil {
		t.Errorf("without a model: %v", err)
	}
}

// A missing program is worth a warning only if the configuration names it.
func TestExamineVoice_NamedEngine_MustExist(t *testing.T) {
	for want, out := range map[string]config.SpeechSynthesis{
		"answers are not spoken":                      {Engine: config.SpeechEngineOff},
		"spoken by cloud/tts, which runs on a server": {Engine: config.SpeechEngineEndpoint, Model: "cloud/tts"},
		"is piper, and there is no no-such-piper":     {Engine: config.SpeechEnginePiper, Program: "no-such-piper"},
		"is command, and there is no no-such-voice": {Engine: config.SpeechEngineCommand,
			Command: []string{"no-such-voice"}},
		"spoken by sh (speech.out.engine: espeak)": {Engine: config.SpeechEngineEspeak, Program: "sh"},
	} {
		cfg := &config.Config{}
		cfg.Speech.Out = out
		found, err := examineVoice(t.Context(), Options{Config: cfg})
		if err != nil {
			found = err.Error()
		}
		if warned := strings.Contains(want, "there is no"); !strings.Contains(found, want) || warned != (err != nil) {
			t.Errorf("%+v: %q, %v, want %q", out, found, err, want)
		}
	}
}
