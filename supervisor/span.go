package supervisor

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a span of time. From is in it and To is not. A zero From or To sets no bound.
type Span struct{ From, To time.Time }

// spanForms are the layouts of a span that is written as a date, each with the span's length.
// Models write the first two.
var spanForms = []struct {
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

// ParseSpan reads a span as a person or a model writes it: today, yesterday, last hour, 7d (seven
// days, the last of them today), a day such as 2026-11-20, a month, a year or a minute. A..B is
// from the start of A to the end of B; either may be left out. now is in the person's time zone. An
// error is for whoever wrote it.
func ParseSpan(text string, now time.Time) (s Span, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	if first, last, two := strings.Cut(text, ".."); two {
		return parseSpans(first, last, now)
	}
	day := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 0, 0, 0, 0, now.Location())
	}
	days := daysPattern.FindStringSubmatch(text)
	switch {
	case text == "today":
		return Span{day(0), day(1)}, nil
	case text == "yesterday":
		return Span{day(-1), day(0)}, nil
	case text == "last hour":
		return Span{now.Add(-time.Hour), now}, nil
	case days != nil && days[1] != "0":
		n, _ := strconv.Atoi(days[1]) // at most four digits
		return Span{day(1 - n), day(1)}, nil
	}
	for _, form := range spanForms {
		if from, err := time.ParseInLocation(form.layout, strings.ToUpper(text), now.Location()); err == nil {
			to := from.AddDate(form.years, form.months, form.days).Add(time.Duration(form.minutes) * time.Minute)
			return Span{from, to}, nil
		}
	}
	return s, Errorf(CodeInvalid, textNoDate, text)
}

func parseSpans(first, last string, now time.Time) (s Span, err error) {
	var from, to Span
	if first != "" {
		from, err = ParseSpan(first, now)
	}
	if last != "" && err == nil {
		to, err = ParseSpan(last, now)
	}
	if s = (Span{from.From, to.To}); err == nil && !s.To.IsZero() && !s.From.Before(s.To) {
		err = Errorf(CodeInvalid, textSpanBackwards, first, last)
	}
	return s, err
}

// ParseSince reads a length of time before now, or a time where now is. "" is the zero time.
func ParseSince(text string, now time.Time) (time.Time, error) {
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
