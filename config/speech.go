package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Speech is how voice messages are heard and made.
type Speech struct {
	Out SpeechOut `yaml:"out" check:"speech_out"`
}

// The values of SpeechOut.Engine.
const (
	SpeechAuto     = "auto"     // espeak-ng, where it is installed
	SpeechEspeak   = "espeak"   // espeak-ng
	SpeechPiper    = "piper"    // Piper's command
	SpeechCommand  = "command"  // any program
	SpeechEndpoint = "endpoint" // a server that speaks OpenAI's audio/speech
	SpeechOff      = "off"
)

// SpeechOut is how answers are spoken.
type SpeechOut struct {
	Engine  string   `yaml:"engine" default:"auto" oneof:"auto espeak piper command endpoint off"`
	Program string   `yaml:"program"` // of espeak or piper, as it is behind the walls; "" is found in the system's folders
	Command []string `yaml:"command"` // of command: a program and arguments with {wav}, {text} and {voice}
	Model   string   `yaml:"model"`   // of endpoint: PROVIDER/MODEL
	// What people choose from: the engine's words by the names that people use. Voice is one of the names; "" is the first.
	Voice  string            `yaml:"voice"`
	Voices map[string]string `yaml:"voices"`
}

const maxVoices = 20

var voiceName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

func (c *checker) checkSpeechOut(path string, out SpeechOut) {
	if out.Engine == SpeechCommand && (len(out.Command) == 0 || !strings.Contains(strings.Join(out.Command, " "), "{wav}")) {
		c.wrong(path+".command", quote(strings.Join(out.Command, " ")), wantVoiceCommand)
	}
	if n := len(out.Voices); n > maxVoices || n == 0 && (out.Engine == SpeechPiper || out.Engine == SpeechEndpoint) {
		c.wrong(path+".voices", fmt.Sprint(n), fmt.Sprintf(wantVoices, out.Engine))
	}
	names := slices.Sorted(maps.Keys(out.Voices))
	for _, name := range names {
		if !voiceName.MatchString(name) || out.Voices[name] == "" || strings.HasPrefix(out.Voices[name], "-") {
			c.wrong(path+".voices", quote(name)+": "+quote(out.Voices[name]), wantVoiceName)
		}
	}
	if out.Voice != "" && len(names) > 0 && !slices.Contains(names, out.Voice) {
		c.wrong(path+".voice", quote(out.Voice), fmt.Sprintf(wantVoice, strings.Join(names, ", ")))
	}
	provider, model, _ := strings.Cut(out.Model, "/")
	if p, known := c.cfg.Models.Providers[provider]; out.Engine == SpeechEndpoint && (!known || p.Kind != kindOpenAI || model == "") {
		c.wrong(path+".model", quote(out.Model), wantVoiceModel)
	}
}
