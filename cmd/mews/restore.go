package main

import (
	"context"

	"mews/supervisor/app"
)

// restoreVerb runs `mews restore`.
func restoreVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "restore")
	file := set.String("config", "", flagConfig)
	var q app.RestoreRequest
	set.StringVar(&q.User, "user", "", flagRestoreUser)
	set.StringVar(&q.To, "to", "", flagRestoreTo)
	set.StringVar(&q.Identity, "identity", "", flagRestoreIdentity)
	set.BoolVar(&q.Drill, "drill", false, flagRestoreDrill)
	words, cfg, err := parseClient(set, file, args, 1, 1)
	if err != nil {
		return err
	}
	q.Backup = words[0]
	return app.Restore(ctx, cfg, q, con.out)
}
