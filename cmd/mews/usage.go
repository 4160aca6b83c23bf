package main

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor/api"
)

// usualDays is how many days mews usage sums up by default.
const usualDays = 30

// usageVerb runs `mews usage`.
func usageVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "usage")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagUsageUser)
	days := set.Int("days", usualDays, flagDays)
	since := set.String("since", "", flagSince)
	asJSON := set.Bool("json", false, flagJSON)
	_, cfg, err := parseClient(set, file, args, 0, 0)
	if err != nil {
		return err
	}
	if *days < 1 || *days > api.MaxUsageDays {
		fmt.Fprintf(con.err, textWrongDays, *days, api.MaxUsageDays)
		return errMisuse
	}
	if *since != "" && *days != usualDays {
		fmt.Fprint(con.err, textDaysAndSince)
		return errMisuse
	}
	from, err := parseSince(*since, time.Now())
	if err != nil {
		fmt.Fprintln(con.err, "mews usage:", err)
		return errMisuse
	}
	q := api.UsageQuery{User: *user, Days: *days, Since: from}
	return askAndShow(ctx, con, cfg, api.MethodUsage, q, *asJSON, api.UsageReport.Text)
}
