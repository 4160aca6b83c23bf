package recurrence

import "time"

// Wall time is what clocks on the wall show. Here it is a time.Time in UTC, so that it has neither
// gaps nor hours that come twice.

// wallOf is the wall time of a moment in its own zone.
func wallOf(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instant is the moment of a wall time in a zone. A time that does not exist there is the first
// moment after the gap. One that comes twice is the first. So a later wall time is never an earlier
// moment.
func instant(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(),
		wall.Nanosecond(), zone)
	begin, end := t.ZoneBounds()
	switch got := wallOf(t); {
	case got.After(wall): // time.Date may take either offset in a gap
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

// nextByWall is the first moment after another that a rule of wall time gives. next is the first
// wall time after another.
func nextByWall(
	after time.Time, zone *time.Location, next func(time.Time) (time.Time, bool, error),
) (time.Time, bool, error) {
	wall := wallOf(after.In(zone))
	for {
		found, any, err := next(wall)
		if err != nil || !any {
			return time.Time{}, false, err
		}
		if moment := instant(found, zone); moment.After(after) {
			return moment, true, nil
		}
		wall = found // it has been: in the hour that comes twice
	}
}

// clocksChange is when the clocks of a moment's zone change after it; the zero time is never. By a
// zone's rule for the years to come Go's ZoneBounds takes each year for 365 days, so that on the
// last day of a leap year what it says has passed: from the next day on it is right.
func clocksChange(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		_, end = t.Add(24 * time.Hour).ZoneBounds()
	}
	return end
}

// nextInRealTime is like nextByWall for a rule that goes by elapsed time: what comes twice counts
// twice, and a gap has none.
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
		after = end.In(zone) // the clocks change first
		wall = wallOf(after).Add(-1)
	}
}
