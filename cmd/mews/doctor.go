package main

import (
	"context"

	"mews/cmd/mews/doctor"
	"mews/supervisor/admin"
)

// doctorVerb is `mews doctor`.
func doctorVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "doctor")
	file := set.String("config", "", flagConfig)
	escapes := set.Bool("escapes", false, flagEscapes)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, path, err := loadConfig(*file)
	if err != nil && !*escapes {
		return printServiceCheck(ctx, con, *file, admin.ExamineRequest{Doctor: true}, err)
	}
	if err != nil {
		return err
	}
	o := doctor.Options{Config: cfg, Path: path, Version: version, Out: con.out}
	if *escapes {
		return doctor.TryEscapes(ctx, o)
	}
	if told, err := printRunning(ctx, con, cfg, path, admin.ExamineRequest{Doctor: true}); told {
		return err
	}
	return doctor.Run(ctx, o)
}
