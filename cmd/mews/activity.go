package main

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor/api"
)

// activityVerb runs `mews activity`.
func activityVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "activity")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagActivityUser)
	since := set.String("since", "", flagSince)
	kind := set.String("kind", "", flagActivityKind)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	from, err := parseSince(*since, time.Now())
	if err != nil {
		fmt.Fprintln(con.err, "mews activity:", err)
		return errMisuse
	}
	return askAndShow(ctx, con, cfg, api.MethodActivity, api.ActivityQuery{User: *user, Since: from, Kind: *kind}, *asJSON, api.ActivityReport.Text)
}
