package calendar

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// rule is a recurrence rule with the wall time of its first occurrence. Package rrule reads a rule.
// Its own iterator can't be stopped between two occurrences, so it does not compute them here: a
// rule for 30 February makes it examine each day up to the year 9999.
type rule struct {
	rrule.ROption
	start   time.Time       // on the wall
	until   time.Time       // last occurrence at most, on the wall; zero means no end
	weekday []rrule.Weekday // days of the week, with those that the start gives
	hours   []int
	minutes []int
	seconds []int
	// days outside of low to high are not examined; zero times examine all days
	low, high time.Time
	steps     int  // how many days and times have been examined
	cut       bool // MaxSteps were not enough
}

var errRule = errors.New("its rule can't be read")

// parseRule reads the value of RRULE. The zone is that of the event; an end in UTC is converted
// to it.
func parseRule(value string, start time.Time, zone *time.Location) (*rule, error) {
	value = strings.ToUpper(strings.TrimSpace(value))
	o, err := rrule.StrToROption(value)
	if err != nil || len(o.Byeaster) > 0 || strings.Contains(value, "DTSTART") || o.Interval < 0 || o.Count < 0 {
		return nil, errRule
	}
	r := &rule{ROption: *o, start: start}
	r.Interval = min(max(r.Interval, 1), 1<<31)
	if until := part(value, "UNTIL"); until != "" {
		m, ok := parseMoment(until, nil)
		switch {
		case !ok:
			return nil, errRule
		case m.date:
			r.until = m.wall.Add(24*time.Hour - time.Second)
		case m.zone == time.UTC && zone != nil:
			r.until = wallOf(m.wall, zone)
		default:
			r.until = m.wall
		}
	}
	r.fill()
	return r, nil
}

// part returns the value of one part of a rule; "" means none.
func part(value, name string) string {
	for p := range strings.SplitSeq(value, ";") {
		if key, v, _ := strings.Cut(p, "="); strings.TrimSpace(key) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// fill completes the rule by its start.
func (r *rule) fill() {
	r.weekday = r.Byweekday
	if len(r.Byyearday) == 0 && len(r.Bymonthday) == 0 && len(r.Byweekday) == 0 {
		day := []rrule.Weekday{weekdays[r.start.Weekday()]}
		switch r.Freq {
		case rrule.YEARLY:
			if len(r.Byweekno) > 0 {
				r.weekday = day
				break
			}
			if len(r.Bymonth) == 0 {
				r.Bymonth = []int{int(r.start.Month())}
			}
			r.Bymonthday = []int{r.start.Day()}
		case rrule.MONTHLY:
			r.Bymonthday = []int{r.start.Day()}
		case rrule.WEEKLY:
			r.weekday = day
		}
	}
	unless := func(list []int, from rrule.Frequency, value int) []int {
		if len(list) == 0 && r.Freq < from {
			return []int{value}
		}
		return sorted(list)
	}
	r.hours = unless(r.Byhour, rrule.HOURLY, r.start.Hour())
	r.minutes = unless(r.Byminute, rrule.MINUTELY, r.start.Minute())
	r.seconds = unless(r.Bysecond, rrule.SECONDLY, r.start.Second())
}

func sorted(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// weekdays are the days of the week in the order of time.Weekday.
var weekdays = [...]rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}

// between returns the earliest occurrences from one wall time until before another, at most most of
// them, in order. The start counts as an occurrence even if it does not match the rule
// (RFC 5545, 3.8.5.3). more is true if there are or may be more.
func (r *rule) between(from, to time.Time, most int) (list []time.Time, more bool) {
	r.steps, r.cut, r.low, r.high = 0, false, time.Time{}, time.Time{}
	if r.Count == 0 && len(r.Bysetpos) == 0 {
		r.low, r.high = from.Add(-24*time.Hour), to
	}
	counted := 0
	// take adds one occurrence, and reports whether the rule goes on
	take := func(at time.Time) bool {
		counted++
		switch {
		case !at.Before(to), !r.until.IsZero() && at.After(r.until), r.Count > 0 && counted > r.Count:
			return false
		case at.Before(from):
			return true
		case len(list) == most:
			more = true
			return false
		}
		list = append(list, at)
		return true
	}
	if !take(r.start) {
		return list, more
	}
	for k := r.firstPeriod(from); ; k++ {
		begin := r.begin(k)
		if !begin.Before(to) || !r.until.IsZero() && begin.After(r.until) {
			return list, more
		}
		set, next := r.candidates(begin)
		if r.cut {
			return list, true
		}
		for _, at := range r.positions(set) {
			if at.After(r.start) && !take(at) {
				return list, more
			}
		}
		if !next.IsZero() {
			k = max(k, r.periodAt(next)) // the loop adds one; a period that begins at next may be it
			if !r.begin(k).Before(next) {
				k--
			}
		}
	}
}

// unit is the length of a period of a rule by weeks or less.
func (r *rule) unit() time.Duration {
	switch r.Freq {
	case rrule.WEEKLY:
		return 7 * 24 * time.Hour
	case rrule.DAILY:
		return 24 * time.Hour
	case rrule.HOURLY:
		return time.Hour
	case rrule.MINUTELY:
		return time.Minute
	}
	return time.Second
}

// begin returns when a period begins. The first period has the number 0.
func (r *rule) begin(k int) time.Time {
	y, m, d := r.start.Date()
	n := k * r.Interval
	switch r.Freq {
	case rrule.YEARLY:
		return time.Date(y+n, 1, 1, 0, 0, 0, 0, time.UTC)
	case rrule.MONTHLY:
		return time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	case rrule.WEEKLY:
		back := (int(r.start.Weekday()) + 6 - r.Wkst.Day()) % 7
		return time.Date(y, m, d-back+7*n, 0, 0, 0, 0, time.UTC)
	case rrule.DAILY:
		return time.Date(y, m, d+n, 0, 0, 0, 0, time.UTC)
	}
	return time.Unix(r.start.Truncate(r.unit()).Unix()+int64(n)*int64(r.unit()/time.Second), 0).UTC()
}

// firstPeriod returns the first period that may have occurrences from an instant. A rule with a
// count is followed from its start.
func (r *rule) firstPeriod(from time.Time) int {
	if r.Count > 0 || !from.After(r.start) {
		return 0
	}
	return max(r.periodAt(from)-1, 0)
}

// periodAt returns the last period that begins at or before a time.
func (r *rule) periodAt(at time.Time) int {
	n := 0
	switch r.Freq {
	case rrule.YEARLY:
		n = at.Year() - r.start.Year()
	case rrule.MONTHLY:
		n = (at.Year()-r.start.Year())*12 + int(at.Month()-r.start.Month())
	default:
		n = int((at.Unix() - r.begin(0).Unix()) / int64(r.unit()/time.Second))
	}
	return n / r.Interval
}

// step counts one examined day or time. It reports whether more may be examined.
func (r *rule) step() bool {
	if r.steps++; r.steps > MaxSteps {
		r.cut = true
	}
	return !r.cut
}

// candidates returns the occurrences of the period that begins then, before BYSETPOS. Unless next
// is zero, there is no occurrence before next.
func (r *rule) candidates(begin time.Time) (set []time.Time, next time.Time) {
	if r.Freq > rrule.DAILY {
		return r.timesWithin(begin)
	}
	y, m, d := begin.Date()
	days := 1
	switch r.Freq {
	case rrule.YEARLY:
		months := sorted(r.Bymonth)
		if len(months) == 0 {
			months = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
		}
		for _, month := range months {
			if month >= 1 && month <= 12 {
				set = r.timesOfDays(set, time.Date(y, time.Month(month), 1, 0, 0, 0, 0, time.UTC),
					daysIn(y, time.Month(month)))
			}
		}
		return set, next
	case rrule.MONTHLY:
		if days = daysIn(y, m); len(r.Bymonth) > 0 && !slices.Contains(r.Bymonth, int(m)) {
			r.step()
			return nil, next
		}
	case rrule.WEEKLY:
		days = 7
	}
	return r.timesOfDays(set, time.Date(y, m, d, 0, 0, 0, 0, time.UTC), days), next
}

// timesOfDays adds the times of the days that match the rule.
func (r *rule) timesOfDays(set []time.Time, first time.Time, days int) []time.Time {
	for i := range days {
		day := first.Add(time.Duration(i) * 24 * time.Hour)
		if !r.high.IsZero() && (day.Before(r.low) || day.After(r.high)) {
			continue
		}
		if !r.step() {
			return set
		}
		if !r.matches(day) {
			continue
		}
		for _, hour := range r.hours {
			for _, minute := range r.minutes {
				for _, second := range r.seconds {
					if len(r.hours)*len(r.minutes)*len(r.seconds) > 1 && !r.step() {
						return set
					}
					set = append(set, day.Add(time.Duration(hour*3600+minute*60+second)*time.Second))
				}
			}
		}
	}
	return set
}

// timesWithin returns the times of a period of an hour or less.
func (r *rule) timesWithin(begin time.Time) (set []time.Time, next time.Time) {
	if !r.step() {
		return nil, next
	}
	y, m, d := begin.Date()
	hour, minute, second := begin.Clock()
	if day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC); !r.matches(day) {
		return nil, day.AddDate(0, 0, 1)
	}
	within := func(list []int, value int) bool { return len(list) == 0 || slices.Contains(list, value) }
	if !within(r.hours, hour) {
		return nil, begin.Truncate(time.Hour).Add(time.Hour)
	}
	minutes, seconds := r.minutes, r.seconds
	if r.Freq >= rrule.MINUTELY {
		if !within(r.minutes, minute) {
			return nil, begin.Truncate(time.Minute).Add(time.Minute)
		}
		minutes = []int{minute}
	}
	if r.Freq == rrule.SECONDLY {
		if !within(r.seconds, second) {
			return nil, next
		}
		seconds = []int{second}
	}
	for _, minute := range minutes {
		for _, second := range seconds {
			set = append(set, time.Date(y, m, d, hour, minute, second, 0, time.UTC))
		}
	}
	return set, next
}

// positions keeps those of a period's occurrences that BYSETPOS names.
func (r *rule) positions(set []time.Time) []time.Time {
	if len(r.Bysetpos) == 0 {
		return set
	}
	var list []time.Time
	for _, n := range r.Bysetpos {
		if n < 0 {
			n += len(set) + 1
		}
		if n >= 1 && n <= len(set) {
			list = append(list, set[n-1])
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return slices.Compact(list)
}
