package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Speech configures voice messages, in both directions.
type Speech struct {
	In  SpeechRecognition `yaml:"in" check:"speech_in"`
	Out SpeechSynthesis   `yaml:"out" check:"speech_out"`
}

// Values of SpeechSynthesis.Engine.
const (
	SpeechEngineAuto     = "auto"     // espeak-ng, if it is installed
	SpeechEngineEspeak   = "espeak"   // espeak-ng
	SpeechEnginePiper    = "piper"    // Piper's command
	SpeechEngineCommand  = "command"  // any program of the machine
	SpeechEngineEndpoint = "endpoint" // a server that speaks OpenAI's audio API
	SpeechEngineOff      = "off"
	SpeechEngineWhisper  = "whisper" // whisper.cpp's whisper-cli
)

// SpeechRecognition configures the transcription of recordings.
type SpeechRecognition struct {
	Engine string `yaml:"engine" default:"whisper" oneof:"whisper command endpoint off"`
	// path of the program inside the sandbox, for the engine whisper
	Program string `yaml:"program" default:"whisper-cli"`
	// model for transcription. For the engine whisper it is an absolute path, and "" turns
	// transcription off. For the engine endpoint it is PROVIDER/MODEL.
	Model    string `yaml:"model"`
	Language string `yaml:"language" default:"auto"`
	// number of threads of a transcription; 0 means half of the processors
	Threads int           `yaml:"threads" default:"0" min:"0" max:"256"`
	Longest time.Duration `yaml:"longest" default:"60m" min:"1s" max:"24h"`
	Echo    OptionalBool  `yaml:"echo" default:"true"` // users see the transcript of their recordings
	// program and arguments with {wav}, {language} and {threads}, for the engine command
	Command []string `yaml:"command"`
}

// SystemFolders are the folders that every worker may read.
var SystemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}

var language = regexp.MustCompile(`^(auto|[a-z]{2,3})$`)

func (c *checker) checkSpeechIn(path string, in SpeechRecognition) {
	if !language.MatchString(in.Language) {
		c.wrong(path+".language", quote(in.Language), wantLanguage)
	}
	if in.Engine == SpeechEngineCommand && (len(in.Command) == 0 || !strings.Contains(strings.Join(in.Command, " "),
		"{wav}")) {
		c.wrong(path+".command", quote(strings.Join(in.Command, " ")), wantHearCommand)
	}
	if in.Engine == SpeechEngineEndpoint {
		c.checkSpeechModel(path, in.Model)
		if price, set := c.cfg.Models.Prices[in.Model]; set && price.Minute == 0 && price.Input+price.Output > 0 {
			c.add(join("models.prices", in.Model), gotTokenPrice, wantMinutePrice)
		}
	}
	seen := map[string]string{"command": ""}
	if in.Engine == SpeechEngineWhisper {
		seen = map[string]string{"program": in.Program, "model": in.Model}
	} else if len(in.Command) > 0 {
		seen["command"] = in.Command[0]
	}
	for key, file := range seen {
		if plain := key != "model" && !strings.Contains(file, "/"); file != "" && !plain && !c.seenByWorkers(file) {
			c.wrong(path+"."+key, quote(file), wantSeenByWorkers)
		}
	}
}

// seenByWorkers reports whether a worker may read a file.
func (c *checker) seenByWorkers(file string) bool {
	return filepath.IsAbs(file) && slices.ContainsFunc(slices.Concat(SystemFolders, c.cfg.Worker.ReadOnly), func(folder string) bool {
		return strings.HasPrefix(filepath.Clean(file), strings.TrimSuffix(folder, "/")+"/")
	})
}

// SpeechSynthesis configures spoken answers.
type SpeechSynthesis struct {
	Engine string `yaml:"engine" default:"auto" oneof:"auto espeak piper command endpoint off"`
	// path of the program inside the sandbox, for the engines espeak and piper; "" means a search
	// in the system's folders
	Program string `yaml:"program"`
	// program and arguments with {wav}, {text} and {voice}, for the engine command
	Command []string `yaml:"command"`
	Model   string   `yaml:"model"` // PROVIDER/MODEL that speaks, for the engine endpoint
	// Voices maps the names that users see to the engine's names. Voice is a name of Voices; ""
	// means the first.
	Voice  string            `yaml:"voice"`
	Voices map[string]string `yaml:"voices"`
}

const maxVoices = 20

var voiceName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

func (c *checker) checkSpeechOut(path string, out SpeechSynthesis) {
	if out.Engine == SpeechEngineCommand && (len(out.Command) == 0 || !strings.Contains(strings.Join(out.Command, " "),
		"{wav}")) {
		c.wrong(path+".command", quote(strings.Join(out.Command, " ")), wantVoiceCommand)
	}
	if n := len(out.Voices); n > maxVoices || n == 0 && (out.Engine == SpeechEnginePiper ||
		out.Engine == SpeechEngineEndpoint) {
		c.wrong(path+".voices", fmt.Sprint(n), fmt.Sprintf(wantVoices, out.Engine))
	}
	names := slices.Sorted(maps.Keys(out.Voices))
	for _, name := range names {
		file := out.Voices[name]
		if !voiceName.MatchString(name) || file == "" || strings.HasPrefix(file, "-") {
			c.wrong(join(path+".voices", name), quote(file), wantVoiceName)
		}
		if out.Engine == SpeechEnginePiper && strings.Contains(file, "/") && !c.seenByWorkers(file) {
			c.wrong(join(path+".voices", name), quote(file), wantSeenByWorkers)
		}
	}
	if out.Voice != "" && len(names) > 0 && !slices.Contains(names, out.Voice) {
		c.wrong(path+".voice", quote(out.Voice), fmt.Sprintf(wantVoice, strings.Join(names, ", ")))
	}
	if strings.Contains(out.Program, "/") && !c.seenByWorkers(out.Program) {
		c.wrong(path+".program", quote(out.Program), wantSeenByWorkers)
	}
	if out.Engine == SpeechEngineEndpoint {
		c.checkSpeechModel(path, out.Model)
	}
}

// checkSpeechModel notes a model of a server that does not speak OpenAI's API.
func (c *checker) checkSpeechModel(path, spec string) {
	provider, model, _ := strings.Cut(spec, "/")
	if p, known := c.cfg.Models.Providers[provider]; !known || p.Kind != kindOpenAI || model == "" {
		c.wrong(path+".model", quote(spec), wantVoiceModel)
	}
}
