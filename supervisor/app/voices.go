package app

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os/exec"
	"unicode/utf8"

	"mews/config"
	"mews/protocol"
	"mews/protocol/opus"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/voice"
)

// openVoices makes what has answers be said aloud.
func (s *service) openVoices(context.Context) error {
	s.voices = voice.New(voice.Options{
		Store: s.db.Speeches(), Settings: s.db.Settings(), Operations: s.operations, Engine: s.voiceEngine,
		Recording: s.showRecording, Queued: s.deliveryQueued, Serves: s.known, Log: s.log.Named("voice"),
		Say: func(ctx context.Context, d supervisor.Delivery) error {
			_, err := s.db.Outbox().Say(ctx, d)
			return err
		},
	})
	return nil
}

// showRecording shows that a voice message is being made.
func (s *service) showRecording(ctx context.Context, c supervisor.Conversation) {
	if s.channel != nil {
		s.channel.outbox.Recording(ctx, c)
	}
}

// espeakVoices are a few of espeak-ng's, for who has named none. (espeak-ng --voices)
var espeakVoices = map[string]string{
	"english": "en-us", "british": "en-gb", "german": "de", "spanish": "es", "french": "fr-fr", "italian": "it",
}

// voiceEngine is what the configuration has answers be said by.
func (s *service) voiceEngine() voice.Engine {
	out := s.config.Speech.Out
	engine := voice.Engine{Voice: out.Voice, Voices: out.Voices,
		VoiceEngine: protocol.VoiceEngine{Engine: out.Engine, Program: out.Program, Command: out.Command}}
	if out.Engine == config.SpeechAuto {
		engine.Engine = config.SpeechEspeak
	}
	if engine.Engine == config.SpeechEspeak && len(engine.Voices) == 0 {
		engine.Voices, engine.Voice = maps.Clone(espeakVoices), cmp.Or(out.Voice, "english")
		if engine.Voices[engine.Voice] == "" {
			engine.Voices[engine.Voice] = engine.Voice // espeak-ng's own name of one
		}
	}
	if engine.Engine == config.SpeechCommand && len(engine.Voices) == 0 {
		engine.Voices = map[string]string{"default": ""}
	}
	for program, missing := range map[string]string{"espeak-ng": textNoEspeak, "ffmpeg": textNoFFmpeg} {
		if _, err := exec.LookPath(program); err != nil && out.Engine == config.SpeechAuto {
			engine.Missing = missing
		}
	}
	if out.Engine == config.SpeechEndpoint {
		engine.Record = s.recordAtEndpoint
	}
	if out.Engine == config.SpeechOff {
		engine.Missing = textNoSpeech
	}
	return engine
}

// recordAtEndpoint has a provider say what a turn has said. It is paid as a call of a model is, by
// the character, before it is made.
func (s *service) recordAtEndpoint(ctx context.Context, turn supervisor.Turn, text, name string) (file supervisor.File, err error) {
	call := sqlite.ModelCall{Conversation: turn.Conversation.ID, Turn: turn.ID, Spec: s.config.Speech.Out.Model, Purpose: modelcall.PurposeSpeak}
	call.Usage.Input = int64(utf8.RuneCountInString(text))
	var ogg []byte
	if err = s.pay(ctx, turn, call, func() (protocol.Usage, error) {
		ogg, err = s.models.Speak(ctx, call.Spec, name, text)
		return call.Usage, err
	}); err != nil {
		return file, err
	}
	if file, err = (pictures{s.spool}).keep("voice.ogg", supervisor.MediaTypeVoice, ogg); err == nil {
		// else it is sent without its length
		file.Media.Seconds, _ = opus.Seconds(bytes.NewReader(ogg))
	}
	return file, err
}
