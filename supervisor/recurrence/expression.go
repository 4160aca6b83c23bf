package recurrence

import (
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// checkRRule reads a recurrence rule, which may begin with RRULE:. It refuses frequencies of hours
// and less. It also refuses a start in the rule, because the start is read elsewhere: all times of
// the rule are computed from it. A count must be at least 1.
func checkRRule(expression string) (*rrule.ROption, error) {
	option, err := rrule.StrToROption(strings.TrimPrefix(strings.ToUpper(expression), "RRULE:"))
	if err != nil || option.Freq >= rrule.HOURLY || len(option.Bysecond) > 0 || !option.Dtstart.IsZero() ||
		option.Count < 1 && partOf(expression, "COUNT") != "" {
		return nil, unreadable(expression)
	}
	return option, nil
}

// rruleHorizon is how many years ahead a rule may be due next. 29 February may be eight years away.
const rruleHorizon = 10

// nextRRule computes the times of a rule from its anchor. The anchor is the rule's start, or the
// minute in which the rule was written, which is not due.
func (r Rule) nextRRule(after time.Time, zone *time.Location) (time.Time, bool, error) {
	option, err := checkRRule(r.Expression)
	if err != nil {
		return time.Time{}, false, err
	}
	option.Dtstart = wallOf(r.At).Truncate(time.Minute)
	if !option.Until.IsZero() && strings.HasSuffix(partOf(r.Expression, "UNTIL"), "Z") {
		option.Until = wallOf(option.Until.In(zone))
	}
	if last := wallOf(after.In(zone)).AddDate(rruleHorizon, 0, 0); option.Until.IsZero() || option.Until.After(last) {
		option.Until = last
	}
	rule, err := rrule.NewRRule(*option)
	if err == nil && !r.Start && option.Count > 0 && rule.After(option.Dtstart, true).Equal(option.Dtstart) {
		option.Count++
		rule, err = rrule.NewRRule(*option)
	}
	if err != nil {
		return time.Time{}, false, unreadable(r.Expression)
	}
	return nextByWall(after, zone, func(wall time.Time) (time.Time, bool, error) {
		from := wall
		if wall.Before(option.Dtstart) {
			from = option.Dtstart
		}
		found := rule.After(from, r.Start && wall.Before(option.Dtstart))
		return found, !found.IsZero(), nil
	})
}

// partOf returns a part of a recurrence rule as it is written; "" means that the part is missing.
func partOf(expression, name string) string {
	for part := range strings.SplitSeq(strings.ToUpper(expression), ";") {
		if value, has := strings.CutPrefix(strings.TrimPrefix(part, "RRULE:"), name+"="); has {
			return value
		}
	}
	return ""
}
