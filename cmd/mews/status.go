package main

import (
	"context"
	"time"

	"mews/supervisor/api"
)

// statusVerb runs `mews status`.
func statusVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "status")
	file := set.String("config", "", flagConfig)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	return askAndShow(ctx, con, cfg, api.MethodStatus, nil, *asJSON,
		func(s api.Status) string { return s.Text(time.Now()) })
}
