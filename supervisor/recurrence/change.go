package recurrence

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// timesOfRule matches the times of the day in a rule of iCalendar.
var timesOfRule = regexp.MustCompile(`;BYHOUR=[\d,]+;BYMINUTE=[\d,]+`)

// WithTime adds a time of the day to a rule whose author wrote none. now is in the user's zone. The
// error is for the author.
func (r Rule) WithTime(at TimeOfDay, now time.Time) (Rule, error) {
	if !r.NoTime {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textHasTime)
	}
	r.NoTime = false
	wall := r.date(now.Location()).Add(time.Duration(at) * time.Minute)
	switch r.Kind {
	case Once:
		r = r.onceAt(wall, now.Location())
	case Daily:
		r.Times = []TimeOfDay{at}
	case RRule:
		by, _ := byTimes([]TimeOfDay{at}) // byTimes never fails for a single time
		r.Expression = timesOfRule.ReplaceAllString(r.Expression, "") + by
		if r.Start {
			r.At = Instant(wall, now.Location())
		}
		r.Words += fmt.Sprintf(" at %s", at)
	}
	return r, r.checkDue(at.String(), now)
}

// WithTimeOfRule takes the time of the day of the rule that r replaces. The rule stays the same if
// its author wrote a time or a part of the day, or if the old rule has no single written time. The
// error is for the author; now is in the user's zone.
func (r Rule) WithTimeOfRule(old Rule, now time.Time) (Rule, error) {
	at := old.times(now.Location())
	if !r.NoTime || r.partOfDay || old.NoTime || len(at) != 1 {
		return r, nil
	}
	return r.WithTime(at[0], now)
}

// MoveToLongerMonth moves a Once rule to the next month that has the author's day. now is in the
// user's zone.
func (r Rule) MoveToLongerMonth(now time.Time) Rule {
	wall := wallOf(r.moment(r.At, now.Location()).In(now.Location()))
	month := onDay(dateOf(wall), 1)
	for day := r.Day; r.Day > 0 && r.Kind == Once; {
		if month = addMonths(month, 1); onDay(month, day).Day() == day {
			r.Day = 0
			return r.onceAt(onDay(month, day).Add(wall.Sub(dateOf(wall))), now.Location())
		}
	}
	return r
}

// onceAt makes a rule due at a wall time in a zone.
func (r Rule) onceAt(wall time.Time, zone *time.Location) Rule {
	r.At, r.Skipped = Instant(wall, zone), ""
	if !wallOf(r.At).Equal(wall) {
		r.Skipped = wall.Format("15:04")
	}
	return r
}

// date returns the date of At in a zone.
func (r Rule) date(zone *time.Location) time.Time {
	return dateOf(wallOf(r.moment(r.At, zone).In(zone)))
}

// times returns the rule's times of the day in a zone; nil if it has none.
func (r Rule) times(zone *time.Location) (times []TimeOfDay) {
	switch r.Kind {
	case Once:
		at := r.moment(r.At, zone).In(zone)
		return []TimeOfDay{TimeOfDay(at.Hour()*60 + at.Minute())}
	case Daily:
		return r.Times
	case RRule:
		for hour := range strings.SplitSeq(partOf(r.Expression, "BYHOUR"), ",") {
			for minute := range strings.SplitSeq(partOf(r.Expression, "BYMINUTE"), ",") {
				h, err := strconv.Atoi(hour)
				m, err2 := strconv.Atoi(minute)
				if err == nil && err2 == nil {
					times = append(times, TimeOfDay(h*60+m))
				}
			}
		}
	}
	return times
}

// SkippedWallTime returns the time of the day that the clocks skip before a due time. An empty text
// means that they skip none. next is the due time, in the user's zone.
func (r Rule) SkippedWallTime(next time.Time) (skipped string) {
	begin, _ := next.ZoneBounds()
	if !next.Equal(begin) {
		return ""
	}
	if r.Kind == Once {
		return r.Skipped
	}
	now := TimeOfDay(next.Hour()*60 + next.Minute())
	_, before := begin.Add(-1).Zone()
	_, after := next.Zone()
	for _, at := range r.times(next.Location()) {
		if at == now {
			return ""
		}
		if at < now && at >= now-TimeOfDay((after-before)/60) {
			skipped = at.String()
		}
	}
	return skipped
}
