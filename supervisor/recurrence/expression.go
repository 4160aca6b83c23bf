package recurrence

import (
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// checkRRule reads a recurrence rule. It may begin with RRULE: and has neither a start of its own
// nor a frequency above days: each of its times is gone through from the first on, and intervals do
// as well. It is due at least once.
func checkRRule(expression string) (*rrule.ROption, error) {
	option, err := rrule.StrToROption(strings.TrimPrefix(strings.ToUpper(expression), "RRULE:"))
	if err != nil || option.Freq >= rrule.HOURLY || len(option.Bysecond) > 0 || !option.Dtstart.IsZero() ||
		option.Count < 1 && partOf(expression, "COUNT") != "" {
		return nil, unreadable(expression)
	}
	return option, nil
}

// horizon is how many years ahead a rule's next time is looked for. 29 February may be eight years
// away.
const horizon = 10

// nextRRule counts the times of a rule from its anchor. That is the minute in which the rule was
// written: it is none of them.
func (r Rule) nextRRule(after time.Time, zone *time.Location) (time.Time, bool, error) {
	option, err := checkRRule(r.Expression)
	if err != nil {
		return time.Time{}, false, err
	}
	option.Dtstart = wallOf(r.At).Truncate(time.Minute)
	if !option.Until.IsZero() && strings.HasSuffix(partOf(r.Expression, "UNTIL"), "Z") {
		option.Until = wallOf(option.Until.In(zone))
	}
	if last := wallOf(after.In(zone)).AddDate(horizon, 0, 0); option.Until.IsZero() || option.Until.After(last) {
		option.Until = last
	}
	rule, err := rrule.NewRRule(*option)
	if err == nil && option.Count > 0 && rule.After(option.Dtstart, true).Equal(option.Dtstart) {
		option.Count++
		rule, err = rrule.NewRRule(*option)
	}
	if err != nil {
		return time.Time{}, false, unreadable(r.Expression)
	}
	return nextByWall(after, zone, func(wall time.Time) (time.Time, bool, error) {
		if wall.Before(option.Dtstart) {
			wall = option.Dtstart
		}
		found := rule.After(wall, false)
		return found, !found.IsZero(), nil
	})
}

// partOf is a part of a recurrence rule as it stands there; "" where it has none.
func partOf(expression, name string) string {
	for part := range strings.SplitSeq(strings.ToUpper(expression), ";") {
		if value, has := strings.CutPrefix(strings.TrimPrefix(part, "RRULE:"), name+"="); has {
			return value
		}
	}
	return ""
}
