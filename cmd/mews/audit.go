package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/config"
	"mews/protocol/amount"
	"mews/supervisor/admin"
	"mews/supervisor/app"
)

// auditVerb is `mews audit`: a list, or with verify whether it is what was written.
func auditVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "verify" {
		return auditVerify(ctx, con, args[1:])
	}
	set := flags(con, "audit")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagAuditUser)
	action := set.String("action", "", flagAuditAction)
	since := set.String("since", "", flagSince)
	limit := set.Int("limit", 100, flagLimit)
	asJSON := set.Bool("json", false, flagAuditJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	from, err := sinceWhen(*since, time.Now())
	if err == nil && *limit < 0 {
		err = fmt.Errorf(textWrongLimit, *limit)
	}
	if err != nil {
		fmt.Fprintln(con.err, "mews audit:", err)
		return errMisuse
	}
	cfg, err := findConfig(*file)
	if err != nil {
		return err
	}
	rows, err := auditRows(ctx, cfg, admin.AuditQuestion{User: *user, Action: *action, Since: from}, *limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		fmt.Fprintln(con.err, textAuditEmpty+ofUser(*user))
	}
	return printAudit(con.out, rows, *asJSON)
}

// ofUser names the person of whom nothing was found, whose name may be mistyped.
func ofUser(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(textAuditEmptyOf, name)
}

// auditRows asks for the rows that a question is for, oldest first: the newest limit of them, all where limit is 0.
func auditRows(ctx context.Context, cfg *config.Config, q admin.AuditQuestion, limit int) (rows []admin.AuditLine, err error) {
	for more := true; more; {
		page, err := app.Have[admin.AuditPage](ctx, cfg, admin.MethodAuditList, q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
		if limit > 0 && len(rows) > limit {
			rows = append([]admin.AuditLine(nil), rows[len(rows)-limit:]...)
		}
		if more = page.More && len(page.Rows) > 0; more {
			q.After = page.Rows[len(page.Rows)-1].ID
		}
	}
	return rows, nil
}

func printAudit(w io.Writer, rows []admin.AuditLine, asJSON bool) error {
	for _, r := range rows {
		if asJSON {
			if err := json.NewEncoder(w).Encode(r); err != nil {
				return err
			}
			continue
		}
		line := fmt.Sprintf("%d  %s  %-12s  %-18s  %s", r.ID, r.CreatedAt.Local().Format("2006-01-02 15:04:05"), orDash(escapeControls(r.User)), escapeControls(r.Action),
			escapeControls(r.Detail))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// daysPattern is a number of days. Go's durations have no days.
var daysPattern = regexp.MustCompile(`^(\d{1,4})d$`)

// sinceWhen reads a length of time before now, or a local day. "" is the zero time.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if found := daysPattern.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // at most four digits
		return now.AddDate(0, 0, -n), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf(textWrongSince, text)
}

// headPattern is a digest of the audit log, in hexadecimal.
var headPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// auditReportText is printed of a log in which nothing is wrong. It also says what the check can't show.
func auditReportText(r admin.AuditReport) string {
	text := fmt.Sprintf(textLogFits, amount.Of(int(r.Rows), "row", "rows"))
	if r.Early > 0 {
		text += fmt.Sprintf(textLogEarly,
			amount.Of(int(r.Early), "row is", "rows are"))
	}
	return text + fmt.Sprintf(textLogHead, r.Head)
}

// auditVerify is `mews audit verify`.
func auditVerify(ctx context.Context, con console, args []string) error {
	set, file := subcommand{verb: "audit", name: "verify"}.flags(con)
	head := set.String("head", "", flagHead)
	asJSON := set.Bool("json", false, flagJSON)
	if _, err := parseNames(set, args, 0, 0); err != nil {
		return err
	}
	if *head != "" && !headPattern.MatchString(*head) {
		fmt.Fprintf(con.err, textWrongHead, *head)
		return errMisuse
	}
	cfg, err := findConfig(*file)
	if err != nil {
		return err
	}
	r, err := app.Have[admin.AuditReport](ctx, cfg, admin.MethodAuditVerify, admin.AuditCheck{Head: *head})
	if err != nil {
		return err
	}
	if *asJSON {
		if err := printJSON(con.out, r); err != nil {
			return err
		}
	} else if r.Broken == 0 {
		fmt.Fprint(con.out, auditReportText(r))
	}
	if r.Broken != 0 {
		return fmt.Errorf(textLogBroken, r.Broken, r.Why)
	}
	return nil
}
