package main

import (
	"context"
	"fmt"

	"mews/supervisor/api"
)

// usageVerb is `mews usage`.
func usageVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "usage")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagUsageUser)
	days := set.Int("days", 30, flagDays)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	if *days < 1 || *days > api.MaxUsageDays {
		fmt.Fprintf(con.err, textWrongDays, *days, api.MaxUsageDays)
		return errMisuse
	}
	return askAndShow(ctx, con, cfg, api.MethodUsage, api.UsageQuery{User: *user, Days: *days}, *asJSON, api.UsageReport.Text)
}
