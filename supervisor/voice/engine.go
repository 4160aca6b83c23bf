package voice

import (
	"cmp"
	"maps"
	"os/exec"

	"mews/protocol"
)

// espeakVoices are the default voices of espeak-ng. (espeak-ng --voices)
var espeakVoices = map[string]string{
	"english": "en-us", "british": "en-gb", "german": "de", "spanish": "es", "french": "fr-fr", "italian": "it",
}

// Engines with special handling. auto means espeak, if it is installed.
const (
	engineAuto     = "auto"
	engineEspeak   = "espeak"
	engineCommand  = "command"
	engineEndpoint = "endpoint"
	engineOff      = "off"
)

// EngineConfig is the speech configuration.
type EngineConfig struct {
	protocol.VoiceEngine // Engine may also be auto, endpoint or off
	Voice                string
	Voices               map[string]string
	Endpoint             Endpoint // used only by the engine endpoint
}

// NewEngine returns the configured engine. If no engine can be used, Missing says why.
func NewEngine(out EngineConfig) Engine {
	engine := Engine{Voice: out.Voice, Voices: out.Voices, VoiceEngine: out.VoiceEngine}
	if out.Engine == engineAuto {
		engine.Engine = engineEspeak
	}
	if engine.Engine == engineEspeak && len(engine.Voices) == 0 {
		engine.Voices, engine.Voice = maps.Clone(espeakVoices), cmp.Or(out.Voice, "english")
		if engine.Voices[engine.Voice] == "" {
			engine.Voices[engine.Voice] = engine.Voice // the configured name is espeak-ng's own name
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
		engine.Record = out.Endpoint.SynthesizeSpeech
	}
	if out.Engine == engineOff {
		engine.Missing = textNoSpeech
	}
	return engine
}
