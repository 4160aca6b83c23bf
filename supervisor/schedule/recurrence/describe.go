package recurrence

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// String is a time of the day, as 08:30.
func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", int(t)/60, int(t)%60) }

// String names the days of a set.
func (w Weekdays) String() string {
	switch w {
	case 0, everyDay:
		return "every day"
	case workingDays:
		return "weekdays"
	case weekendDays:
		return "weekends"
	}
	var names []string
	for i := range 7 { // from Monday on
		if day := time.Weekday((i + 1) % 7); w.Has(day) {
			names = append(names, day.String()[:3])
		}
	}
	return "every " + strings.Join(names, ", ")
}

// Describe is a rule in words, for its person. One that cannot be read is its kind.
func (r Rule) Describe(zone *time.Location) string {
	describe := map[Kind]func() string{
		Once:     func() string { return "once" },
		Interval: func() string { return "every " + strings.TrimSuffix(strings.TrimSuffix(r.Every.String(), "0s"), "0m") },
		Daily: func() string {
			var times []string
			for _, at := range r.Times {
				times = append(times, at.String())
			}
			return r.Days.String() + " at " + strings.Join(times, ", ")
		},
		Cron: func() string { return "by the cron expression " + r.Expression },
		RRule: func() string {
			return cmp.Or(r.Words, "by the rule "+strings.TrimPrefix(r.Expression, "RRULE:"))
		},
	}[r.Kind]
	text := string(r.Kind)
	if describe != nil {
		text = describe()
	}
	if !r.Until.IsZero() {
		text += ", until " + r.Until.In(zone).Format(dayAndTime)
	}
	if r.Max > 0 {
		text += fmt.Sprintf(", %d times", r.Max)
	}
	return text
}
