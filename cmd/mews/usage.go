package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/app"
	"mews/supervisor/command"
)

// usageVerb is `mews usage`.
func usageVerb(ctx context.Context, con console, args []string) error {
	set := flags(con, "usage")
	file := set.String("config", "", flagConfig)
	user := set.String("user", "", flagUsageUser)
	days := set.Int("days", 30, flagDays)
	asJSON := set.Bool("json", false, flagJSON)
	if err := parse(set, args); err != nil {
		return err
	}
	if *days < 1 || *days > app.MaxDays {
		fmt.Fprintf(con.err, textWrongDays, *days, app.MaxDays)
		return errMisuse
	}
	cfg, err := findConfig(*file)
	if err != nil {
		return err
	}
	report, err := askFor[app.UsageReport](ctx, cfg, app.MethodUsage, app.UsageQuestion{User: *user, Days: *days})
	if err != nil {
		return err
	}
	return show(con.out, report, *asJSON, printUsage)
}

// printUsage prints what was asked of models and what it cost.
func printUsage(w io.Writer, r app.UsageReport) error {
	who, since := supervisor.Printable(cmp.Or(r.User, textEverybody)), r.From.Format("2006-01-02")
	if len(r.Models) == 0 {
		_, err := fmt.Fprintf(w, textNoUsage, who, since)
		return err
	}
	text := fmt.Sprintf("%s, since %s\n\n%s", who, since, table("MODEL", r.Models))
	if len(r.Users) > 0 {
		text += "\n" + table("USER", r.Users)
	}
	_, err := io.WriteString(w, text)
	return err
}

// table is a line for each and their sum, in columns: names to the left, numbers to the right.
func table(head string, lines []command.UsageLine) string {
	rows := [][]string{append([]string{head}, usageColumns...)}
	for _, l := range lines {
		rows = append(rows, row(cmp.Or(supervisor.Printable(l.Name), textNameless), l))
	}
	sum := command.Total(lines)
	if len(lines) > 1 {
		rows = append(rows, row(textSum, sum))
	}
	if sum.Unpriced == 0 {
		for i := range rows {
			rows[i] = rows[i][:len(rows[i])-1]
		}
	}
	text := columns(rows)
	if sum.Estimated {
		text += textEstimated
	}
	return text
}

// row is a line of a table. The cost is "-" where no call has a price.
func row(name string, l command.UsageLine) []string {
	cost := amount.Dollars(l.Cost)
	if l.Unpriced > 0 && l.Unpriced >= l.Calls {
		cost = "-"
	}
	about := ""
	if l.Estimated {
		about = textAbout
	}
	return []string{name, amount.Number(l.Calls), about + amount.Number(l.Input), amount.Number(l.CacheRead),
		about + amount.Number(l.Output), about + cost, amount.Number(l.Unpriced)}
}

// columns pads the cells of rows of the same length to columns.
func columns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s", widths[0], r[0])
		for i, cell := range r[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
