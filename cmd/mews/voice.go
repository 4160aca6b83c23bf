package main

import (
	"cmp"
	"context"
	"fmt"

	"mews/cmd/mews/chat"
	"mews/cmd/mews/doctor"
	"mews/supervisor/app"
	"mews/supervisor/printable"
)

// voiceVerb runs `mews voice`, which lists the speech programs, and `mews voice test`.
func voiceVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "test" {
		return voiceTest(ctx, con, args[1:])
	}
	set := flags(con, "voice")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	return show(con.out, doctor.ListVoicePrograms(cfg), *asJSON, doctor.VoiceReport.Text)
}

// voiceTest runs `mews voice test`, which transcribes a file.
func voiceTest(ctx context.Context, con console, args []string) error {
	set, file := subcommand{verb: "voice", name: "test"}.flags(con)
	user := set.String("user", "", flagVoiceUser)
	asJSON := set.Bool("json", false, flagJSON)
	words, cfg, err := parseClient(set, file, args, 1, 1)
	if err != nil {
		return err
	}
	heard, err := chat.Transcribe(ctx, app.SocketPath(cfg), *user, words[0])
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, heard)
	}
	took := float64(heard.Milliseconds) / 1000
	_, err = fmt.Fprintf(con.out, textHeard, cmp.Or(printable.DropControls(heard.Text), textHeardNothing),
		cmp.Or(printable.DropControls(heard.Language), textNoLanguage), heard.Seconds/60, heard.Seconds%60, took,
		took/max(1, float64(heard.Seconds)))
	return err
}
