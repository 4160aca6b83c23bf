package api

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mews/protocol/amount"
	"mews/supervisor/internal/money"
	"mews/supervisor/printable"
	"mews/supervisor/usage"
)

// MethodUsage is the control socket's method for the use of models. It takes a UsageQuery and
// returns a UsageReport. Every user may ask for their own use. Only admins may ask for the use of
// another user or of all users.
const MethodUsage = "usage"

// MaxUsageDays is the largest number of days in a UsageQuery: ten years.
const MaxUsageDays = 3660

// UsageQuery are the parameters of a call for the use of models.
type UsageQuery struct {
	User string `json:"user,omitempty"` // "" means all users for an admin, otherwise the caller
	Days int    `json:"days"`           // number of days up to today
	// the beginning, instead of Days; the zero value means that Days counts
	Since time.Time `json:"since,omitzero"`
}

// UsageReport is the use of models. Its lists begin with the greatest use.
type UsageReport struct {
	User   string       `json:"user,omitempty"` // "" means all users
	From   time.Time    `json:"from"`
	Models []usage.Line `json:"models"`
	Users  []usage.Line `json:"users,omitempty"` // use by user, in a report about all users
}

// Text describes the use of models and its cost for people.
func (r UsageReport) Text() string {
	who, since := printable.DropControls(cmp.Or(r.User, textEverybody)), r.From.Format(time.DateOnly)
	if r.From.Hour()+r.From.Minute() > 0 {
		since = r.From.Format("2006-01-02 15:04")
	}
	if len(r.Models) == 0 {
		return fmt.Sprintf(textNoUsage, who, since)
	}
	text := fmt.Sprintf("%s, since %s\n\n%s", who, since, table("MODEL", r.Models))
	if len(r.Users) > 0 {
		text += "\n" + table("USER", r.Users)
	}
	return text
}

// table returns the lines and their sum in columns: names on the left, numbers on the right.
func table(head string, lines []usage.Line) string {
	rows := [][]string{append([]string{head}, usageColumns...)}
	for _, l := range lines {
		rows = append(rows, row(cmp.Or(printable.DropControls(l.Name), textNameless), l))
	}
	sum := usage.Total(lines)
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

// row returns a line of a table. The cost is "-" if no call has a price.
func row(name string, l usage.Line) []string {
	cost := money.FormatDollars(l.Cost)
	if l.Free && l.Cost == 0 {
		cost = l.FormatCost()
	}
	if l.Unpriced > 0 && l.Unpriced >= l.Calls {
		cost = "-"
	}
	about := ""
	if l.Estimated {
		about = textAbout
	}
	return []string{name, amount.FormatNumber(l.Calls), about + amount.FormatNumber(l.Input),
		amount.FormatNumber(l.CacheRead),
		about + amount.FormatNumber(l.Output), about + cost, amount.FormatNumber(l.Unpriced)}
}

// columns pads the cells of rows of equal length to columns.
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
