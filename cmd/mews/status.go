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
	if err := parse(set, args); err != nil {
		return err
	}
	socket, err := findService(*file)
	if err != nil {
		return err
	}
	var status control.Status
	if err := control.Ask(ctx, socket, control.MethodStatus, nil, &status); err != nil {
		return err
	}
	return show(con.out, status, *asJSON, func(w io.Writer, s control.Status) error { return app.PrintStatus(w, s, time.Now()) })
}
