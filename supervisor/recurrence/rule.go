// Package recurrence computes when something is due. A rule is due once, at intervals, at times of
// the day, by a cron expression, or by a recurrence rule of iCalendar (RFC 5545). The package is
// pure: it has no clock, and uses only the zone that it is given.
package recurrence

import (
	"time"
)

// Kind is the way in which a rule recurs.
type Kind string

const (
	Once     Kind = "once"     // due once, at the time At
	Interval Kind = "interval" // due at the time At, and then after each Every of elapsed time
	Daily    Kind = "daily"    // due at Times on the days in Days
	Cron     Kind = "cron"     // due by Expression: five cron fields, or a tag such as @daily
	RRule    Kind = "rrule"    // due by Expression, a rule of iCalendar that begins after At
)

// Rule says when something is due. A rule has no zone: a wall-time rule is read in its user's
// current zone. At and Until of a wall-time rule are wall times in the zone of the author. For
// other rules they are moments. The zero value is never due.
type Rule struct {
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at,omitzero"`
	// Wall reports whether At of a rule of the kind Once is a wall time.
	Wall       bool          `json:"wall,omitempty"`
	Every      time.Duration `json:"every,omitempty"` // the length of an interval, in nanoseconds
	Times      []TimeOfDay   `json:"times,omitempty"` // the times of the day, in order
	Days       Weekdays      `json:"days,omitempty"`  // the days of the week; none means every day
	Expression string        `json:"expression,omitempty"`
	Words      string        `json:"words,omitempty"` // the author's words, from which Expression was made
	// At itself is due too, if Expression matches it; only for RRule
	Start bool `json:"start,omitempty"`
	// the last moment at which the rule may be due; the zero value means no end
	Until time.Time `json:"until,omitzero"`
	// MaxFires is the largest number of due times; 0 means no limit. The caller counts the fires.
	MaxFires int `json:"max,omitempty"`

	// NoTime says that the author wrote no time of the day, so that a usual time was taken.
	NoTime bool `json:"no_time,omitempty"`
	// Day is the author's day of the month, if shorter months use their last day instead.
	Day  int    `json:"day,omitempty"`
	Date string `json:"date,omitempty"` // the author's date, if it was written with slashes
	// Skipped is the author's time of the day, if the clocks skip it on that day; only for Once.
	Skipped string `json:"skipped,omitempty"`
	// Translated has a model's translation of the author's words, if there is one.
	Translated string `json:"translated,omitempty"`
	// partOfDay says that the author wrote a part of the day, such as "tonight"; only after Parse
	partOfDay bool
}

// TimeOfDay is a time of the day, in minutes since midnight.
type TimeOfDay int

// Weekdays is a set of days of the week: bit 0 is Sunday, as in time.Weekday.
type Weekdays uint8

const (
	everyDay    Weekdays = 1<<7 - 1
	workingDays          = everyDay &^ (1<<time.Saturday | 1<<time.Sunday)
	weekendDays Weekdays = 1<<time.Saturday | 1<<time.Sunday
)

// Has reports whether a day is in the set. The empty set contains every day.
func (w Weekdays) Has(day time.Weekday) bool { return w == 0 || w&(1<<day) != 0 }

// Next returns the first moment after another at which the rule is due in a zone. found is false if
// the rule is never due again. An error means that the rule is invalid.
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

// IsWallTime reports whether a rule uses wall time. Such a rule follows its user to another zone.
func (r Rule) IsWallTime() bool { return r.Kind != Interval && (r.Kind != Once || r.Wall) }

// moment returns a rule's At or Until as a moment in a zone. If a wall-time rule was written in
// another zone, it keeps its wall time.
func (r Rule) moment(written time.Time, zone *time.Location) time.Time {
	wall := wallOf(written)
	if !r.IsWallTime() || wallOf(written.In(zone)).Equal(wall) {
		return written
	}
	return Instant(wall, zone)
}

func (r Rule) nextOnce(after time.Time, zone *time.Location) (time.Time, bool, error) {
	at := r.moment(r.At, zone)
	return at, at.After(after), nil
}

// nextInterval counts whole periods from the rule's start, so that errors do not add up.
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
	const days = 9 // a week, the day before it, and a day that a zone may skip
	for day := range days {
		date := from.AddDate(0, 0, day)
		for _, at := range r.Times {
			if !r.Days.Has(date.Weekday()) {
				break
			}
			wall := time.Date(date.Year(), date.Month(), date.Day(), 0, int(at), 0, 0, time.UTC)
			if moment := Instant(wall, zone); moment.After(after) {
				return moment, true, nil
			}
		}
	}
	return time.Time{}, false, nil
}
