// Package spans reads spans of time as people and models write them.
package spans

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// Forms lists the spans that Parse reads, for help texts.
const Forms = "today, yesterday, last hour, 7d, 2026-11-20, 2026-11, or two of them as 2026-11-01..2026-11-07"

// Errors about a span of time that can't be parsed.
const (
	textNoDate    = "%q is no time that I can read. Write one of: " + Forms + "."
	textBackwards = "%s..%s ends before it begins."
)

// daysPattern matches a number of days that end with today, such as 7d.
var daysPattern = regexp.MustCompile(`^(\d{1,4})d$`)

// forms lists the layouts of a span that is written as a date or time, each with the span's length.
// Models write the first two layouts.
var forms = []struct {
	layout              string
	years, months, days int
	minutes             int
}{
	{layout: "2006-01-02 15:04", minutes: 1},
	{layout: "2006-01-02T15:04", minutes: 1},
	{layout: time.DateOnly, days: 1},
	{layout: "2006-01", months: 1},
	{layout: "2006", years: 1},
}

// Parse parses a span of time as a person or a model writes it. Examples are today, yesterday, last
// hour and 7d, the seven days up to today. A day, a month, a year or a minute is written as
// 2026-11-20 and the like. A..B lasts from the start of A to the end of B; either may be left out.
// now is in the user's time zone. The error is a text for the person or the model.
func Parse(text string, now time.Time) (s supervisor.TimeSpan, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if first, last, two := strings.Cut(text, ".."); two {
		return parseTwo(first, last, now)
	}
	day := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	days := daysPattern.FindStringSubmatch(text)
	switch {
	case text == "today":
		return supervisor.TimeSpan{From: day(0), To: day(1)}, nil
	case text == "yesterday":
		return supervisor.TimeSpan{From: day(-1), To: day(0)}, nil
	case text == "last hour":
		return supervisor.TimeSpan{From: now.Add(-time.Hour), To: now}, nil
	case days != nil && days[1] != "0":
		n, _ := strconv.Atoi(days[1]) // the text has at most four digits, so there is no error
		return supervisor.TimeSpan{From: day(1 - n), To: day(1)}, nil
	}
	for _, form := range forms {
		if from, err := time.ParseInLocation(form.layout, strings.ToUpper(text), now.Location()); err == nil {
			to := from.AddDate(form.years, form.months, form.days).Add(time.Duration(form.minutes) * time.Minute)
			return supervisor.TimeSpan{From: from, To: to}, nil
		}
	}
	return s, supervisor.Errorf(supervisor.CodeInvalid, textNoDate, text)
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
		err = supervisor.Errorf(supervisor.CodeInvalid, textBackwards, first, last)
	}
	return s, err
}
