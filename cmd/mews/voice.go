package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"mews/cmd/mews/chat"
	"mews/cmd/mews/doctor"
	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/app"
	"mews/supervisor/printable"
)

// voiceVerb is `mews voice`, which lists the speech programs, and `mews voice test`.
func voiceVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "test" {
		return voiceTest(ctx, con, args[1:])
	}
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
		{"ffmpeg", textFromFFmpeg}, {cmp.Or(in.Program, "whisper-cli"), textFromManual}, {"espeak-ng", textFromEspeak}, {"piper", textFromPiper},
	}
	for _, p := range programs {
		path, err := doctor.FindWorkerProgram(p.name)
		if err != nil {
			path = fmt.Sprintf(textNotInstalled, p.from)
		}
		fmt.Fprintf(con.out, textVoiceRow, p.name, path)
	}
	printModel(con.out, in)
	return nil
}

// voiceTest is `mews voice test`, which transcribes a file.
func voiceTest(ctx context.Context, con console, args []string) error {
	set, file := subcommand{verb: "voice", name: "test"}.flags(con)
	user := set.String("user", "", flagVoiceUser)
	words, cfg, err := parseClient(set, file, args, 1, 1)
	if err != nil {
		return err
	}
	heard, err := chat.Transcribe(ctx, app.SocketPath(cfg), *user, words[0])
	if err != nil {
		return err
	}
	took := float64(heard.Milliseconds) / 1000
	_, err = fmt.Fprintf(con.out, textHeard, cmp.Or(printable.DropControls(heard.Text), textHeardNothing),
		cmp.Or(printable.DropControls(heard.Language), textNoLanguage), heard.Seconds/60, heard.Seconds%60, took,
		took/max(1, float64(heard.Seconds)))
	return err
}

// printModel shows the model that transcribes, and its memory.
func printModel(w io.Writer, in config.SpeechRecognition) {
	found := textNoSpeechModel
	if in.Engine == config.SpeechEngineEndpoint {
		found = fmt.Sprintf(textSpeechServer, in.Model)
	} else if in.Model != "" {
		memory, err := doctor.SpeechModelMemory(in.Model)
		found = fmt.Sprintf(textSpeechModel, in.Model, amount.BinarySize(memory))
		if err != nil {
			found = fmt.Sprintf("%s: %v", in.Model, err)
		}
	}
	fmt.Fprintf(w, textVoiceRow, textModel, found)
}
