package voice

import (
	"cmp"
	"maps"
	"os/exec"

	"mews/protocol"
)

// espeakVoices are a few of espeak-ng's, for who has named none. (espeak-ng --voices)
var espeakVoices = map[string]string{
	"english": "en-us", "british": "en-gb", "german": "de", "spanish": "es", "french": "fr-fr", "italian": "it",
}

// The engines that are told apart here. auto is espeak, if it is installed.
const (
	engineAuto     = "auto"
	engineEspeak   = "espeak"
	engineCommand  = "command"
	engineEndpoint = "endpoint"
	engineOff      = "off"
)

// Configured is what the configuration says of speech.
type Configured struct {
	protocol.VoiceEngine // or auto, endpoint or off
	Voice                string
	Voices               map[string]string
	Endpoint             Endpoint // of the engine endpoint
}

// NewEngine makes the engine that is configured, or one that says why there is none.
func NewEngine(out Configured) Engine {
	engine := Engine{Voice: out.Voice, Voices: out.Voices, VoiceEngine: out.VoiceEngine}
	if out.Engine == engineAuto {
		engine.Engine = engineEspeak
	}
	if engine.Engine == engineEspeak && len(engine.Voices) == 0 {
		engine.Voices, engine.Voice = maps.Clone(espeakVoices), cmp.Or(out.Voice, "english")
		if engine.Voices[engine.Voice] == "" {
			engine.Voices[engine.Voice] = engine.Voice // espeak-ng's own name of one
		}
	}
	if engine.Engine == engineCommand && len(engine.Voices) == 0 {
		engine.Voices = map[string]string{"default": ""}
	}
	for program, missing := range map[string]string{"espeak-ng": textNoEspeak, "ffmpeg": textNoFFmpeg} {
		if _, err := exec.LookPath(program); err != nil && out.Engine == engineAuto {
			engine.Missing = missing
		}
	}
	if out.Engine == engineEndpoint {
		engine.Record = out.Endpoint.Record
	}
	if out.Engine == engineOff {
		engine.Missing = textNoSpeech
	}
	return engine
}
