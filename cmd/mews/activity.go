package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/app"
)

// activityVerb is `mews activity`.
func activityVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "activity")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagActivityUser)
	since := set.String("since", "", flagSince)
	kind := set.String("kind", "", flagActivityKind)
	asJSON := set.Bool("json", false, flagJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	from, err := sinceWhen(*since, time.Now())
	if err != nil {
		fmt.Fprintln(con.err, "mews activity:", err)
		return errMisuse
	}
	cfg, err := findConfig(*file)
	if err != nil {
		return err
	}
	report, err := askFor[app.ActivityReport](ctx, cfg, app.MethodActivity, app.ActivityQuestion{User: *user, Since: from, Kind: *kind})
	if err != nil {
		return err
	}
	return show(con.out, report, *asJSON, printActivity)
}

// printActivity prints what was done for a person, or how much was done for everybody.
func printActivity(w io.Writer, r app.ActivityReport) error {
	var b strings.Builder
	if r.Older {
		fmt.Fprintf(&b, textOlderActivity, app.MaxActivity)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s  %-10s  %s\n", row.At.Local().Format("2006-01-02 15:04:05"), row.ReportedBy, row.Text)
	}
	if len(r.Counts) > 0 {
		rows := [][]string{{"USER", "KIND", "COUNT"}}
		for _, c := range r.Counts {
			rows = append(rows, []string{supervisor.Printable(c.User), c.Group, fmt.Sprint(c.Count)})
		}
		b.WriteString(columns(rows))
	}
	_, err := io.WriteString(w, cmp.Or(b.String(), textNoActivity))
	return err
}
