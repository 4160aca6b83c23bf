package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"mews/cmd/mews/chat"
	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/backup"
)

// backupVerb runs `mews backup`.
func backupVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "list" {
		return backupList(con, subcommand{verb: "backup", name: "list"}, args[1:])
	}
	set := flags(con, "backup")
	file := set.String("config", "", flagConfig)
	output := set.String("output", "", flagBackupOutput)
	plain := set.Bool("plain", false, flagBackupPlain)
	words, cfg, err := parseClient(set, file, args, 0, 1)
	if err != nil {
		return err
	}
	if err := refuseOutput(con, cfg, *output, *plain); err != nil {
		return err
	}
	shown := ""
	made, err := app.BackUp(ctx, cfg, version, func(s backup.Status) {
		if line := s.Describe(); line != shown {
			shown = line
			fmt.Fprintln(con.err, line)
		}
	})
	if err != nil {
		return err
	}
	switch {
	case *output == "-":
		err = backup.Write(ctx, con.out, made.Path, cfg.Backup.Recipient, *plain)
		con.out = con.err
	case *output != "":
		err = backup.WriteFile(ctx, *output, made.Path, cfg.Backup.Recipient, *plain)
		made.Sent = *output
	case len(words) > 0:
		made.Sent, err = backup.Deliver(ctx, made.Path, words[0], cfg.Backup.Recipient, *plain)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(con.out, made.Describe())
	return err
}

// refuseOutput refuses an output that would fail after the backup.
func refuseOutput(con console, cfg *config.Config, output string, plain bool) error {
	if output == "-" && chat.IsTerminal(con.out) {
		return supervisor.Errorf(supervisor.CodeInvalid, textExportTerminal)
	}
	if output == "" {
		return nil
	}
	return backup.RefuseUnsealed(filepath.Base(output), cfg.Backup.Recipient, plain)
}

// backupList runs `mews backup list`.
func backupList(con console, v subcommand, args []string) error {
	set, file := v.flags(con)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	list, err := backup.List(app.BackupsDir(cfg))
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(con.out, append([]backup.Found{}, list...))
	}
	_, err = io.WriteString(con.out, backup.DescribeList(list, app.BackupsDir(cfg)))
	return err
}
