package calendar

import (
	"strings"
	"time"
)

// moment is a date, or a date and a time on a clock on the wall.
type moment struct {
	wall time.Time      // date and time of the wall clock, as UTC
	zone *time.Location // zone of the clock; nil means the reader's zone
	date bool           // only the date counts
}

// instant returns when the clock shows the moment. A time that the clock skips is read with the
// offset before the jump, and a repeated one is the first of the two (RFC 5545, 3.3.5).
func (m moment) instant(reader *time.Location) time.Time {
	zone := m.zone
	if zone == nil || m.date {
		zone = reader
	}
	return onWall(m.wall, zone)
}

// onWall returns the instant at which a clock in a zone shows the wall time.
func onWall(wall time.Time, zone *time.Location) time.Time {
	if zone == time.UTC {
		return wall
	}
	at := wall.Unix()
	_, before := time.Unix(at-86400, 0).In(zone).Zone()
	first := time.Unix(at-int64(before), 0).In(zone)
	if _, offset := first.Zone(); offset == before {
		return first
	}
	_, after := time.Unix(at+86400, 0).In(zone).Zone()
	second := time.Unix(at-int64(after), 0).In(zone)
	if _, offset := second.Zone(); offset == after {
		return second
	}
	return first
}

// wallOf returns what a clock in a zone shows at an instant.
func wallOf(at time.Time, zone *time.Location) time.Time {
	at = at.In(zone)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}

// moment reads the first value of a property with a date or a time.
func (z *zones) moment(line string) (m moment, ok bool) {
	zone, values := z.values(line)
	value, _, _ := strings.Cut(values, ",")
	value, _, _ = strings.Cut(value, "/")
	return parseMoment(strings.TrimSpace(value), zone)
}

// values returns the values of a property with dates or times, and their zone.
func (z *zones) values(line string) (zone *time.Location, values string) {
	rest := line[max(strings.IndexAny(line, ";:"), 0):]
	for rest != "" && rest[0] == ';' {
		var name, value string
		if name, value, rest = parameter(rest[1:]); name == "TZID" && value != "" {
			zone = z.find(value)
		}
	}
	return zone, strings.TrimPrefix(rest, ":")
}

// period is a moment with the length that an RDATE gives it; 0 means none.
type period struct {
	moment
	length time.Duration
}

// moments reads the values of a property with dates, times or periods. It leaves out values that
// can't be read.
func (z *zones) moments(line string) (list []period) {
	zone, values := z.values(line)
	for {
		value, rest, more := strings.Cut(values, ",")
		start, end, isPeriod := strings.Cut(strings.TrimSpace(value), "/")
		if m, ok := parseMoment(start, zone); ok {
			one := period{moment: m}
			if length, ok := duration(end); isPeriod && ok {
				one.length = max(length, 0)
			} else if last, ok := parseMoment(end, zone); isPeriod && ok {
				one.length = max(last.wall.Sub(m.wall), 0)
			}
			list = append(list, one)
		}
		if values = rest; !more {
			return list
		}
	}
}

// parseMoment reads a value such as 20261203, 20261203T150000 or 20261203T150000Z.
func parseMoment(value string, zone *time.Location) (m moment, ok bool) {
	if n := len(value); n == 16 && (value[15] == 'Z' || value[15] == 'z') {
		zone, value = time.UTC, value[:15]
	}
	var digits [14]int
	n := 0
	for i := range len(value) {
		c := value[i]
		if i == 8 && len(value) == 15 && (c == 'T' || c == 't') {
			continue
		}
		if c < '0' || c > '9' || n == len(digits) {
			return m, false
		}
		digits[n] = int(c - '0')
		n++
	}
	if n != 8 && (n != 14 || len(value) != 15) {
		return m, false
	}
	two := func(i int) int { return digits[i]*10 + digits[i+1] }
	year, month, day := two(0)*100+two(2), two(4), two(6)
	hour, minute, second := two(8), two(10), two(12)
	if year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, time.Month(month)) ||
		hour > 23 || minute > 59 || second > 60 {
		return m, false
	}
	m.wall = time.Date(year, time.Month(month), day, hour, minute, min(second, 59), 0, time.UTC)
	m.zone, m.date = zone, n == 8
	return m, true
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

const (
	dateLayout = "20060102"
	timeLayout = "20060102T150405"
)

// value returns the moment as a property's value, without its zone.
func (m moment) value() string {
	switch {
	case m.date:
		return m.wall.Format(dateLayout)
	case m.zone == time.UTC:
		return m.wall.Format(timeLayout) + "Z"
	}
	return m.wall.Format(timeLayout)
}
