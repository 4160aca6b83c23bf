// Package recurrence says when something is due: once, at intervals, at times of the day, by a cron
// expression, or by a recurrence rule of iCalendar (RFC 5545). It is pure: it has no clock, and
// reads no zone but the one that it is given.
package recurrence

import (
	"time"
)

// Kind is how a rule recurs.
type Kind string

const (
	Once     Kind = "once"     // at At
	Interval Kind = "interval" // at At and every Every of elapsed time after it
	Daily    Kind = "daily"    // at Times of the days in Days
	Cron     Kind = "cron"     // by Expression: five fields, or a tag such as @daily
	RRule    Kind = "rrule"    // by Expression, which begins after At
)

// Rule is when something is due. Its zone is not part of it: a rule of wall time is read in the
// zone of whoever has it. There its At and Until are the wall times that their own offsets show,
// whoever moves; of others they are moments. The zero value is never due.
type Rule struct {
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at,omitzero"`
	// of Once: At was written as a time on the wall
	Wall       bool          `json:"wall,omitempty"`
	Every      time.Duration `json:"every,omitempty"` // in nanoseconds
	Times      []TimeOfDay   `json:"times,omitempty"` // in order
	Days       Weekdays      `json:"days,omitempty"`  // none is every day
	Expression string        `json:"expression,omitempty"`
	Words      string        `json:"words,omitempty"` // how a person has written an Expression
	// the last moment that it may be due at; the zero value sets none
	Until time.Time `json:"until,omitzero"`
	// how often it is due at all; 0 is without end. Who fires it counts.
	Max int `json:"max,omitempty"`
}

// TimeOfDay is a time of the day, in minutes since midnight.
type TimeOfDay int

// Weekdays is a set of days of the week: bit 0 is Sunday's, as in time.Weekday.
type Weekdays uint8

const (
	everyDay    Weekdays = 1<<7 - 1
	workingDays          = everyDay &^ (1<<time.Saturday | 1<<time.Sunday)
	weekendDays Weekdays = 1<<time.Saturday | 1<<time.Sunday
)

// Has says whether a day is in the set. The empty set has every day.
func (w Weekdays) Has(day time.Weekday) bool { return w == 0 || w&(1<<day) != 0 }

// Next is the first moment after another at which the rule is due in a zone. There is none where
// found is false. An error is that of a rule that cannot be read.
func (r Rule) Next(after time.Time, zone *time.Location) (next time.Time, found bool, err error) {
	find := map[Kind]func(Rule, time.Time, *time.Location) (time.Time, bool, error){
		Once: Rule.nextOnce, Interval: Rule.nextInterval, Daily: Rule.nextDaily, Cron: Rule.nextCron,
		RRule: Rule.nextRRule,
	}[r.Kind]
	if find == nil {
		return time.Time{}, false, unreadable(string(r.Kind))
	}
	next, found, err = find(r, after, zone)
	if err != nil || !found || !r.Until.IsZero() && next.After(r.moment(r.Until, zone)) {
		return time.Time{}, false, err
	}
	return next.In(zone), true, nil
}

// ByWall says whether a rule is one of wall time: then it moves along with whoever has it to
// another zone.
func (r Rule) ByWall() bool { return r.Kind != Interval && (r.Kind != Once || r.Wall) }

// moment is when a rule's At or Until is in a zone. Of a rule of wall time, one that shows another
// there was written in another zone.
func (r Rule) moment(written time.Time, zone *time.Location) time.Time {
	wall := wallOf(written)
	if !r.ByWall() || wallOf(written.In(zone)).Equal(wall) {
		return written
	}
	return instant(wall, zone)
}

func (r Rule) nextOnce(after time.Time, zone *time.Location) (time.Time, bool, error) {
	at := r.moment(r.At, zone)
	return at, at.After(after), nil
}

// nextInterval counts from the anchor, so that nothing adds up.
func (r Rule) nextInterval(after time.Time, _ *time.Location) (time.Time, bool, error) {
	if r.Every <= 0 {
		return time.Time{}, false, unreadable(r.Every.String())
	}
	if after.Before(r.At) {
		return r.At, true, nil
	}
	return r.At.Add((after.Sub(r.At)/r.Every + 1) * r.Every), true, nil
}

func (r Rule) nextDaily(after time.Time, zone *time.Location) (time.Time, bool, error) {
	from := wallOf(after.In(zone))
	const days = 9 // a week, the day before it, and one that a zone may leave out
	for day := range days {
		date := from.AddDate(0, 0, day)
		for _, at := range r.Times {
			if !r.Days.Has(date.Weekday()) {
				break
			}
			wall := time.Date(date.Year(), date.Month(), date.Day(), 0, int(at), 0, 0, time.UTC)
			if moment := instant(wall, zone); moment.After(after) {
				return moment, true, nil
			}
		}
	}
	return time.Time{}, false, nil
}
