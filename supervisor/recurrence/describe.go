package recurrence

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/protocol/amount"
)

// String returns a time of the day, as 08:30.
func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", int(t)/60, int(t)%60) }

// String names the days of a set, Monday first.
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
	for i := range 7 { // all seven days of the week, from Monday on
		if day := time.Weekday((i + 1) % 7); w.Has(day) {
			names = append(names, day.String()[:3])
		}
	}
	return "every " + strings.Join(names, ", ")
}

// Describe returns a rule in words for its user. It returns the rule's kind if the rule is invalid.
func (r Rule) Describe(zone *time.Location) string {
	describe := map[Kind]func() string{
		Once:     func() string { return "once" },
		Interval: func() string { return "every " + dropOne(amount.FormatDuration(r.Every)) },
		Daily: func() string {
			var times []string
			for _, at := range r.Times {
				times = append(times, at.String())
			}
			return r.Days.String() + " at " + strings.Join(times, ", ")
		},
		Cron: func() string {
			return cmp.Or(describeEveryMinutes(r.Expression), "by the cron expression "+r.Expression)
		},
		RRule: func() string {
			return cmp.Or(r.Words, "by the rule "+strings.TrimPrefix(r.Expression, "RRULE:"))
		},
	}[r.Kind]
	text := string(r.Kind)
	if describe != nil {
		text = describe()
	}
	if !r.Until.IsZero() {
		text += ", until " + r.moment(r.Until, zone).In(zone).Format(dayAndTime)
	}
	if r.MaxFires > 0 {
		text += fmt.Sprintf(", %d times", r.MaxFires)
	}
	return text
}

// dropOne removes the number from a text such as "every 1 hour".
func dropOne(text string) string {
	if strings.Contains(text, " and ") {
		return text
	}
	return strings.TrimPrefix(text, "1 ")
}

// everyMinutesPattern matches expressions such as */15, for all hours or a range of hours.
var everyMinutesPattern = regexp.MustCompile(`^\*/(\d{1,2}) (?:\*|(\d{1,2})-(\d{1,2})) \* \* \*$`)

// describeEveryMinutes describes an expression for every few minutes of each day. It returns "" for
// all other expressions. The minutes must divide an hour, because otherwise the last time of an
// hour is closer to the first time of the next hour.
func describeEveryMinutes(expression string) string {
	found := everyMinutesPattern.FindStringSubmatch(expression)
	if found == nil {
		return ""
	}
	every, _ := strconv.Atoi(found[1]) // two digits always parse
	if every == 0 || 60%every != 0 || every == 60 {
		return ""
	}
	text := "every " + dropOne(amount.Plural(every, "minute", "minutes"))
	if found[2] == "" {
		return text
	}
	from, _ := strconv.Atoi(found[2])
	to, _ := strconv.Atoi(found[3])
	return fmt.Sprintf("%s from %02d:00 to %02d:%02d", text, from, to, 60-every)
}
