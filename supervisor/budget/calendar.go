package budget

import "time"

// DayBounds returns when the day of now begins in a time zone, and when the next day begins.
func DayBounds(now time.Time, zone *time.Location) (start, next time.Time) {
	y, m, d := now.In(zone).Date()
	return midnight(y, m, d, zone), midnight(y, m, d+1, zone)
}

// MonthBounds returns when the month of now begins in a time zone, and when the next begins.
func MonthBounds(now time.Time, zone *time.Location) (start, next time.Time) {
	y, m, _ := now.In(zone).Date()
	return midnight(y, m, 1, zone), midnight(y, m+1, 1, zone)
}

// midnight returns the first moment of a day. If clocks go forward at midnight, there is no 00:00
// (Santiago, Cairo). If they go back at midnight, there are two (Havana), and time.Date may return
// either.
func midnight(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	start, end := t.ZoneBounds()
	// time.Date returned 23:00 of the previous day
	if t.Day() != time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() {
		return end
	}
	if start.IsZero() {
		return t
	}
	_, now := t.Zone()
	_, before := start.Add(-1).Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); first.Before(start) && first.Before(t) {
		return first
	}
	return t
}
