package main

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor/app"
	"mews/supervisor/release"
)

// updateVerb runs `mews update`.
func updateVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "update")
	file := set.String("config", "", flagConfig)
	check := set.Bool("check", false, flagUpdateCheck)
	acceptOld := set.Bool("accept-old", false, flagAcceptOld)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, err := findConfig(*file)
	if err != nil {
		return err
	}
	text, err := app.RequestUpdate(ctx, cfg, version, app.UpdateOptions{CheckOnly: *check, AcceptOld: *acceptOld})
	fmt.Fprint(con.out, text)
	return err
}

// preflightVerb runs `mews preflight`, which mews-update calls before and after an update.
func preflightVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "preflight")
	file := set.String("config", "", flagConfig)
	opened := set.Bool("opened", false, flagOpened)
	if err := parse(set, args); err != nil {
		return err
	}
	cfg, err := findConfig(*file) // the unit has no credentials of the service
	if err != nil {
		return err
	}
	if *opened {
		opened, err := app.FindOpened(ctx, cfg, version)
		if err == nil && !opened {
			return &exitError{status: release.ExitNotOpened}
		}
		return err
	}
	took, err := app.Preflight(ctx, cfg, version)
	if err == nil {
		fmt.Fprintf(con.out, textPreflightPassed, version, int(took.Round(time.Second).Seconds()))
	}
	return err
}
