package doctor

import (
	"cmp"
	"fmt"
	"strings"

	"mews/config"
	"mews/protocol/amount"
)

// VoiceReport lists the programs and the model for voice.
type VoiceReport struct {
	In       VoiceEngine    `json:"in"`  // engine that transcribes recordings
	Out      VoiceEngine    `json:"out"` // engine that speaks answers
	Programs []VoiceProgram `json:"programs"`
	// Model is the model for transcription, and Memory the memory that it needs, in bytes.
	Model       string `json:"model,omitempty"`
	ModelMemory int64  `json:"model_memory,omitempty"`
	ModelFault  string `json:"model_fault,omitempty"` // reason why the model can't be used
}

// VoiceEngine is the configured engine for recordings or for answers.
type VoiceEngine struct {
	Engine   string `json:"engine"`
	Language string `json:"language,omitempty"`
}

// VoiceProgram is a program that workers may run.
type VoiceProgram struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"` // path of the program; "" means that workers can't see it
	From string `json:"from"`           // hint where to get the program
}

// ListVoicePrograms looks for the programs and the model for voice.
func ListVoicePrograms(cfg *config.Config) VoiceReport {
	in := cfg.Speech.In
	r := VoiceReport{In: VoiceEngine{in.Engine, in.Language}, Out: VoiceEngine{Engine: cfg.Speech.Out.Engine},
		Model: in.Model}
	r.Programs = []VoiceProgram{
		{Name: "ffmpeg", From: textFromFFmpeg}, {Name: cmp.Or(in.Program, "whisper-cli"), From: textFromManual},
		{Name: "espeak-ng", From: textFromEspeak}, {Name: "piper", From: textFromPiper},
	}
	for i := range r.Programs {
		// without a path, the report says that the program is missing
		r.Programs[i].Path, _ = FindWorkerProgram(r.Programs[i].Name)
	}
	if in.Model != "" && in.Engine != config.SpeechEngineEndpoint {
		memory, err := SpeechModelMemory(in.Model)
		if r.ModelMemory = memory; err != nil {
			r.ModelFault = err.Error()
		}
	}
	return r
}

// Text returns the report as a text for people.
func (r VoiceReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, textVoiceEngines, r.In.Engine, r.In.Language, r.Out.Engine)
	for _, p := range r.Programs {
		path := cmp.Or(p.Path, fmt.Sprintf(textNotInstalled, p.From))
		fmt.Fprintf(&b, textVoiceRow, p.Name, path)
	}
	fmt.Fprintf(&b, textVoiceRow, textModel, r.modelText())
	return b.String()
}

func (r VoiceReport) modelText() string {
	switch {
	case r.In.Engine == config.SpeechEngineEndpoint:
		return fmt.Sprintf(textModelServer, r.Model)
	case r.Model == "":
		return textNoSpeechModel
	case r.ModelFault != "":
		return r.Model + ": " + r.ModelFault
	}
	return fmt.Sprintf(textModelMemory, r.Model, amount.BinarySize(r.ModelMemory))
}
