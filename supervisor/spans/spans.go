// Package spans parses spans of time as people and models write them. All commands and verbs that
// take a span use it.
package spans

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// HelpText lists the spans that Parse reads, for help texts.
const HelpText = "today, yesterday, last hour, 30m, 1h, 7d, this week, last month, 2026-11-20, 2026-11, " +
	"or two of them as 2026-11-01..2026-11-07"

// Errors about a span that can't be read.
const (
	textNoDate    = "%q is no time that I can read. Write one of: " + HelpText + "."
	textBackwards = "%s..%s ends before it begins."
)

// BackwardsError means that a span ends before it begins. It wraps a supervisor.Error.
type BackwardsError struct{ first, last string }

func (e *BackwardsError) Error() string { return e.Unwrap().Error() }

func (e *BackwardsError) Unwrap() error {
	return supervisor.Errorf(supervisor.CodeInvalid, textBackwards, e.first, e.last)
}

// MaxWords is the maximum number of words in a span.
const MaxWords = 3

var (
	// lengthPattern matches a length of time up to now: 1h, 90 min, last 2 hours, last week.
	lengthPattern = regexp.MustCompile(`^(last |past )?(\d{0,5}) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$`)
	// periodPattern matches a period of the calendar.
	periodPattern = regexp.MustCompile(`^(this|last) (week|month|year)$`)
)

// forms lists the layouts of dates that stand for a span, each with the length of that span. Models
// write the first of these layouts.
var forms = []struct {
	layout              string
	years, months, days int
	minutes             int
}{
	{layout: "2006-01-02 15:04", minutes: 1},
	{layout: "2006-01-02T15:04", minutes: 1},
	{layout: time.RFC3339, minutes: 1},
	{layout: time.DateOnly, days: 1},
	{layout: "2006-01", months: 1},
	{layout: "2006", years: 1},
}

// Parse parses a span of time as a person or a model writes it. Examples are today, yesterday, last
// hour, 30m, this week, a day such as 2026-11-20, a month, a year or a minute. 7d means seven days,
// and the last of them is today. A..B is from the start of A to the end of B; either may be left
// out. now is in the user's time zone. The error is a text for the author of the span.
func Parse(text string, now time.Time) (s supervisor.TimeSpan, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if first, last, two := strings.Cut(text, ".."); two && !strings.Contains(last, "..") {
		return parseTwo(strings.TrimSpace(first), strings.TrimSpace(last), now)
	}
	switch text {
	case "today":
		return days(now, 0, 1), nil
	case "yesterday":
		return days(now, -1, 1), nil
	}
	if s, ok := parsePeriod(text, now); ok {
		return s, nil
	}
	if s, ok := parseLength(text, now); ok {
		return s, nil
	}
	for _, form := range forms {
		if from, err := time.ParseInLocation(form.layout, strings.ToUpper(text), now.Location()); err == nil {
			to := from.AddDate(form.years, form.months, form.days).Add(time.Duration(form.minutes) * time.Minute)
			return supervisor.TimeSpan{From: from, To: to}, nil
		}
	}
	return s, supervisor.Errorf(supervisor.CodeInvalid, textNoDate, text)
}

// days returns a span of number days. The first day is offset days after the day of now.
func days(now time.Time, offset, number int) supervisor.TimeSpan {
	day := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	return supervisor.TimeSpan{From: day(offset), To: day(offset + number)}
}

// parseLength parses a length of time up to now. Days and weeks are whole days, and the last of
// them is today.
func parseLength(text string, now time.Time) (s supervisor.TimeSpan, ok bool) {
	found := lengthPattern.FindStringSubmatch(text)
	if found == nil || found[1] == "" && found[2] == "" {
		return s, false
	}
	n := 1
	if found[2] != "" {
		n, _ = strconv.Atoi(found[2]) // no error is possible, because there are at most five digits
	}
	switch unit := found[3][0]; {
	case n == 0 || n > maxLength:
		return s, false
	case unit == 'm':
		return supervisor.TimeSpan{From: now.Add(-time.Duration(n) * time.Minute), To: now}, true
	case unit == 'h':
		return supervisor.TimeSpan{From: now.Add(-time.Duration(n) * time.Hour), To: now}, true
	case unit == 'w':
		n *= 7
	}
	return days(now, 1-n, n), true
}

// maxLength is the highest number of minutes, hours, days or weeks.
const maxLength = 9999

// parsePeriod parses a week, month or year of the calendar. Weeks begin on Monday.
func parsePeriod(text string, now time.Time) (s supervisor.TimeSpan, ok bool) {
	found := periodPattern.FindStringSubmatch(text)
	if found == nil {
		return s, false
	}
	y, m, d := now.Date()
	years, months, weekdays := 0, 0, 0
	switch found[2] {
	case "week":
		d, weekdays = d-(int(now.Weekday())+6)%7, 7
	case "month":
		d, months = 1, 1
	case "year":
		m, d, years = time.January, 1, 1
	}
	if found[1] == "last" {
		y, m, d = y-years, m-time.Month(months), d-weekdays
	}
	date := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	return supervisor.TimeSpan{From: date(y, m, d), To: date(y+years, m+time.Month(months), d+weekdays)}, true
}

func parseTwo(first, last string, now time.Time) (s supervisor.TimeSpan, err error) {
	var from, to supervisor.TimeSpan
	if first != "" {
		from, err = Parse(first, now)
	}
	if last != "" && err == nil {
		to, err = Parse(last, now)
	}
	if s = (supervisor.TimeSpan{From: from.From, To: to.To}); err == nil && !s.To.IsZero() && !s.From.Before(s.To) {
		err = &BackwardsError{first, last}
	}
	return s, err
}
