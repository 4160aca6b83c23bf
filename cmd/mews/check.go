package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mews/cmd/mews/doctor"
	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/app"
	"mews/supervisor/placement"
)

// checkVerb runs `mews check`.
func checkVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "check")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	what := admin.DiagnoseRequest{JSON: *asJSON}
	cfg, path, err := loadConfig(*file)
	if err == nil {
		if told, err := printRunning(ctx, con, cfg, path, what); told {
			return err
		}
		return printChecked(con, doctor.CheckConfig(ctx, cfg, path), *asJSON)
	}
	told, err := printServiceCheck(ctx, con, *file, what, err)
	if told {
		return err
	}
	return printChecked(con, doctor.UnreadableConfigReport(path, err), *asJSON)
}

// printChecked prints a report about a configuration. If there are problems, the text lists only
// the problems.
func printChecked(con console, r doctor.ConfigReport, asJSON bool) error {
	if asJSON {
		return errors.Join(printJSON(con.out, r), r.Err())
	}
	if r.Err() == nil {
		fmt.Fprint(con.out, r.Text())
	}
	return r.Err()
}

// printServiceCheck prints the running service's check of its own configuration. It is for an
// account that can't read the whole configuration, or has wrong variables. unread is the reason why
// the configuration could not be read. If the service may not be asked, told is false and the error
// is unread.
func printServiceCheck(ctx context.Context, con console, file string, what admin.DiagnoseRequest,
	unread error) (told bool, err error) {
	cfg, err := findConfig(file)
	if err != nil {
		return false, unread
	}
	if told, err := printRunning(ctx, con, cfg, cfg.File, what); told {
		sayUnusedVariables(con)
		return true, err
	}
	info, err := os.Stat(app.SocketPath(cfg))
	if own := uint32(os.Getuid()); err != nil || own == 0 || own == placement.OwnerUID(info) {
		return false, unread // the service's account can't read more than this account
	}
	found, err := askFor[admin.DiagnoseResult](ctx, cfg, admin.MethodDiagnose, what)
	if err != nil {
		return false, errors.Join(unread, err)
	}
	return true, printExamined(con, textAsTheService, what, found)
}

// printExamined prints the service's check of itself. A report as text begins with head; a report
// in JSON does not.
func printExamined(con console, head string, what admin.DiagnoseRequest, found admin.DiagnoseResult) error {
	if what.JSON {
		head = ""
	}
	fmt.Fprint(con.out, head, found.Found)
	switch {
	case found.Wrong != "":
		return errors.New(found.Wrong)
	case found.Status != 0:
		return &exitError{status: found.Status}
	}
	return nil
}

// printRunning prints the check that the running service makes of itself. It is for Mews without a
// configuration file, because the service may have other environment variables than this process.
// The result told is false if there is a configuration file, or if no service answers.
func printRunning(ctx context.Context, con console, cfg *config.Config, path string,
	what admin.DiagnoseRequest) (told bool, err error) {
	if path != "" || os.Getenv(admin.DiagnoseEnvVariable) != "" {
		return false, nil
	}
	found, err := askFor[admin.DiagnoseResult](ctx, cfg, admin.MethodDiagnose, what)
	if err != nil {
		return false, nil
	}
	return true, printExamined(con, textOfTheRunning, what, found)
}
