package main

import (
	"context"
	"encoding/json"
	"mews/supervisor/app"
	"time"

	"mews/supervisor/control"
)

// statusVerb is `mews status`.
func statusVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "status")
	file := set.String("config", "", "the configuration `FILE`")
	asJSON := set.Bool("json", false, "print it as JSON")
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
	if *asJSON {
		enc := json.NewEncoder(con.out)
		enc.SetIndent("", "  ")
		return enc.Encode(status)
	}
	return app.PrintStatus(con.out, status, time.Now())
}
