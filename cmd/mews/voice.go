package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"mews/cmd/mews/doctor"
	"mews/config"
	"mews/protocol/amount"
)

// voiceVerb is `mews voice`.
func voiceVerb(_ context.Context, con console, args []string) error {
	set := flags(con, "voice")
	file := set.String("config", "", flagConfig)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	in, out := cfg.Speech.In, cfg.Speech.Out
	fmt.Fprintf(con.out, textVoiceEngines, in.Engine, in.Language, out.Engine)
	programs := []struct{ name, from string }{
		{"ffmpeg", textFromFFmpeg}, {cmp.Or(in.Program, "whisper-cli"), textFromReadme}, {"espeak-ng", textFromEspeak}, {"piper", textFromPiper},
	}
	for _, p := range programs {
		path, err := doctor.WorkersProgram(p.name)
		if err != nil {
			path = fmt.Sprintf(textNotInstalled, p.from)
		}
		fmt.Fprintf(con.out, textVoiceRow, p.name, path)
	}
	printModel(con.out, in)
	return nil
}

// printModel says which model transcribes, and what it takes.
func printModel(w io.Writer, in config.SpeechIn) {
	found := textNoSpeechModel
	if in.Engine == config.SpeechEndpoint {
		found = fmt.Sprintf(textSpeechServer, in.Model)
	} else if in.Model != "" {
		memory, err := doctor.SpeechModelMemory(in.Model)
		found = fmt.Sprintf(textSpeechModel, in.Model, amount.Size(memory))
		if err != nil {
			found = fmt.Sprintf("%s: %v", in.Model, err)
		}
	}
	fmt.Fprintf(w, textVoiceRow, textModel, found)
}
