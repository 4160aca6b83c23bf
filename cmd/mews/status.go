package main

import (
	"context"
	"io"
	"time"

	"mews/supervisor/app"
	"mews/supervisor/control"
)

// statusVerb is `mews status`.
func statusVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "status")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	status, err := askFor[control.Status](ctx, cfg, control.MethodStatus, nil)
	if err != nil {
		return err
	}
	return show(con.out, status, *asJSON, func(w io.Writer, s control.Status) error { return app.PrintStatus(w, s, time.Now()) })
}
