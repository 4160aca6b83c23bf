package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mews/supervisor/app"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mews/config"
	"mews/protocol/amount"
)

// auditVerb is `mews audit`: a list, or with verify whether it is what was written.
func auditVerb(ctx context.Context, con console, args []string) error {
	if len(args) > 0 && args[0] == "verify" {
		return auditVerify(ctx, con, args[1:])
	}
	set := flags(con, "audit")
	file := set.String("config", "", "the configuration `FILE`")
	user := set.String("user", "", "of the user `NAME` alone")
	action := set.String("action", "", "whose action begins with `PREFIX`, such as login or totp.")
	since := set.String("since", "", "not before `WHEN`: so long ago (24h, 7d), or a day (2026-11-22)")
	limit := set.Int("limit", 100, "the newest `N` of them; 0 is all")
	asJSON := set.Bool("json", false, "print them as JSON, a line each")
	if err := parse(set, args); err != nil {
		return err
	}
	from, err := sinceWhen(*since, time.Now())
	if err == nil && *limit < 0 {
		err = fmt.Errorf("--limit %d: want 0 or more", *limit)
	}
	if err != nil {
		fmt.Fprintln(con.err, "mews audit:", err)
		return errMisuse
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	rows, err := auditRows(ctx, cfg, app.AuditQuestion{User: *user, Action: *action, Since: from}, *limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		fmt.Fprintln(con.err, "mews audit: nothing of that kind is in the log"+ofUser(*user))
	}
	return printAudit(con.out, rows, *asJSON)
}

// ofUser says of whom nothing was found: a name may be mistyped.
func ofUser(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(", of %q; `mews user list` says who there is", name)
}

// auditRows are the newest rows that a question is for, oldest first.
func auditRows(ctx context.Context, cfg *config.Config, q app.AuditQuestion, limit int) (rows []app.AuditLine, err error) {
	for more := true; more; {
		var page app.AuditPage
		if err := app.Have(ctx, cfg, app.MethodAuditList, q, &page); err != nil {
			return nil, err
		}
		rows = append(rows, page.Rows...)
		if limit > 0 && len(rows) > limit {
			rows = append([]app.AuditLine(nil), rows[len(rows)-limit:]...)
		}
		if more = page.More && len(page.Rows) > 0; more {
			q.After = page.Rows[len(page.Rows)-1].ID
		}
	}
	return rows, nil
}

func printAudit(w io.Writer, rows []app.AuditLine, asJSON bool) error {
	for _, r := range rows {
		if asJSON {
			if err := json.NewEncoder(w).Encode(r); err != nil {
				return err
			}
			continue
		}
		line := fmt.Sprintf("%d  %s  %-12s  %-18s  %s", r.ID, r.CreatedAt.Local().Format("2006-01-02 15:04:05"), orDash(escaped(r.User)), escaped(r.Action),
			escaped(r.Detail))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// escaped has what a terminal would obey, or not show, be seen as Go writes it.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// days is a length of time in days, which Go's durations do not have.
var days = regexp.MustCompile(`^(\d{1,4})d$`)

// sinceWhen reads so long ago, or a day as it is here. "" is the beginning.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if found := days.FindStringSubmatch(text); found != nil {
		var n int
		if _, err := fmt.Sscan(found[1], &n); err != nil {
			return time.Time{}, err
		}
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
	return time.Time{}, fmt.Errorf("--since %q: want so long ago, such as 24h or 7d, or a day such as 2026-11-22", text)
}

// digests is what a head of the audit log looks like.
var digests = regexp.MustCompile(`^[0-9a-f]{64}$`)

// wholeLog is what is said of a log in which nothing is wrong, and of what that does not show.
func wholeLog(r app.AuditReport) string {
	text := fmt.Sprintf("%s, each fits the one before it\n", amount.Of(int(r.Rows), "row", "rows"))
	if r.Early > 0 {
		text += fmt.Sprintf("%s from before there were digests, or made to look so: a change in them shows by the head alone\n",
			amount.Of(int(r.Early), "row is", "rows are"))
	}
	return text + "head  " + r.Head + "\nWho can write the database can cut its end off or write all of it anew. Keep the head elsewhere, and give it with " +
		"--head the next time: that alone shows it.\n"
}

// auditVerify is `mews audit verify`.
func auditVerify(ctx context.Context, con console, args []string) error {
	v := subverb{verb: "audit", name: "verify", usage: "[--head HEX] [--json]",
		summary: "whether the audit log is what was written; --head is what an earlier run has printed"}
	set, file := v.flags(con)
	head := set.String("head", "", "the `HEX` that an earlier run has printed as head: what was cut off at the end since then is seen")
	asJSON := set.Bool("json", false, "print it as JSON")
	if _, err := parseNames(set, args, 0, 0); err != nil {
		return err
	}
	if *head != "" && !digests.MatchString(*head) {
		fmt.Fprintf(con.err, "mews audit verify: --head %q: want 64 hexadecimal digits\n", *head)
		return errMisuse
	}
	cfg, _, err := loadConfig(*file)
	if err != nil {
		return err
	}
	var r app.AuditReport
	if err := app.Have(ctx, cfg, app.MethodAuditVerify, app.AuditCheck{Head: *head}, &r); err != nil {
		return err
	}
	if *asJSON {
		if err := printJSON(con.out, r); err != nil {
			return err
		}
	} else if r.Broken == 0 {
		fmt.Fprint(con.out, wholeLog(r))
	}
	if r.Broken != 0 {
		return fmt.Errorf("the audit log is not what was written, from row %d on. %s", r.Broken, r.Why)
	}
	return nil
}
