package recurrence

import "time"

// Wall time is the time that a clock on the wall shows. In this package it is a time.Time in UTC,
// so that no hour is missing or exists twice.

// wallOf returns the wall time of a moment in its own zone.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// Instant returns the moment of a wall time in a zone. For a time in a gap it returns the first
// moment after the gap. For a time that exists twice it returns the first moment. So a later wall
// time is never an earlier moment.
func Instant(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(),
		wall.Nanosecond(), zone)
	begin, end := t.ZoneBounds()
	switch got := wallOf(t); {
	case got.After(wall): // time.Date may use either offset in a gap
		return begin
	case got.Before(wall):
		return end
	}
	if begin.IsZero() {
		return t
	}
	_, before := begin.Add(-1).Zone()
	first := wall.Add(-time.Duration(before) * time.Second)
	if first.Before(begin) && wallOf(first.In(zone)).Equal(wall) {
		return first.In(zone)
	}
	return t
}

// nextByWall returns the first moment after another at which a wall-time rule is due. The function
// next returns the first due wall time after another wall time.
func nextByWall(
	after time.Time, zone *time.Location, next func(time.Time) (time.Time, bool, error),
) (time.Time, bool, error) {
	wall := wallOf(after.In(zone))
	for {
		found, any, err := next(wall)
		if err != nil || !any {
			return time.Time{}, false, err
		}
		if moment := Instant(found, zone); moment.After(after) {
			return moment, true, nil
		}
		wall = found // the moment is past, because its wall time is in the hour that exists twice
	}
}

// clocksChange returns the next clock change in a moment's zone; the zero time means never. For
// future years Go's ZoneBounds takes each year as 365 days. So on the last day of a leap year its
// result is in the past. From the next day on the result is right.
func clocksChange(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		_, end = t.Add(24 * time.Hour).ZoneBounds()
	}
	return end
}

// nextInRealTime is like nextByWall, for a rule of elapsed time: an hour that exists twice counts
// twice, and a gap has no times.
func nextInRealTime(
	after time.Time, zone *time.Location, next func(time.Time) (time.Time, bool, error),
) (time.Time, bool, error) {
	after = after.In(zone)
	wall := wallOf(after)
	for {
		found, any, err := next(wall)
		if err != nil || !any {
			return time.Time{}, false, err
		}
		moment := after.Add(found.Sub(wallOf(after)))
		end := clocksChange(after)
		if end.IsZero() || moment.Before(end) {
			return moment, true, nil
		}
		after = end.In(zone) // the clocks change before the rule is due
		wall = wallOf(after).Add(-1)
	}
}
