package main

import (
	"context"
	"errors"
	"fmt"

	"mews/cmd/mews/doctor"
	"mews/supervisor/admin"
)

// doctorVerb runs `mews doctor`.
func doctorVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "doctor")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	escapes := set.Bool("escapes", false, flagEscapes)
	calls := set.Bool("calls", false, flagDoctorCalls)
	if err := parse(set, args); err != nil {
		return err
	}
	if *asJSON && *escapes {
		fmt.Fprintln(con.err, textEscapesNoJSON)
		return errMisuse
	}
	what := admin.DiagnoseRequest{Doctor: true, JSON: *asJSON, Calls: *calls}
	cfg, path, err := loadConfig(*file)
	if err != nil && !*escapes {
		told, err := printServiceCheck(ctx, con, *file, what, err)
		if *asJSON && !told {
			return errors.Join(printJSON(con.out, doctor.UnreadableConfigFindings(err)), err)
		}
		return err
	}
	if err != nil {
		return err
	}
	o := doctor.Options{Config: cfg, Path: path, Version: version, Out: con.out, JSON: *asJSON, Calls: *calls}
	if *escapes {
		return doctor.TryEscapes(ctx, o)
	}
	if told, err := printRunning(ctx, con, cfg, path, what); told {
		return err
	}
	err = doctor.Run(ctx, o)
	if errors.Is(err, doctor.ErrWarnings) {
		return &exitError{status: exitWarnings}
	}
	return err
}
