package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mews/cmd/mews/doctor"
	"mews/cmd/mews/install"
	"mews/config"
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
	o := doctor.Options{Config: cfg, Path: path, Version: version, Out: con.out, JSON: *asJSON, Calls: *calls,
		Drift: driftOf(cfg)}
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

// driftOf returns the function that compares an installed service with what the installer has made.
// nil means that the configuration is none of the installer's.
func driftOf(cfg *config.Config) func(context.Context) ([]string, error) {
	layout, err := install.LayoutOfConfig(cfg.File)
	if err != nil {
		return nil
	}
	return func(ctx context.Context) ([]string, error) {
		self, err := os.Executable()
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err != nil {
			return nil, err
		}
		return install.FindDrift(ctx, install.Options{Layout: layout, Version: version, Source: filepath.Dir(self),
			Out: io.Discard})
	}
}
