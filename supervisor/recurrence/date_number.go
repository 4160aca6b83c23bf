package recurrence

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var (
	isoPattern   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$`)
	dotPattern   = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})(\.?)(\d{4}|\d{2})?$`)
	slashPattern = regexp.MustCompile(`^(\d{1,2})[/](\d{1,2})(?:/(\d{4}|\d{2}))?$`)
	dashPattern  = regexp.MustCompile(`^(\d{1,2})-(\d{1,2})-(\d{4})$`)
)

// isMonth reports whether a text is the number of a month.
func isMonth(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 12
}

// takeNumericDate reads 2026-12-24, 24.12., 24.12.2026, 24/12/2026.
func (p *phrase) takeNumericDate() (d day, ok bool, err error) {
	rest := *p
	if len(rest.words) == 0 {
		return d, false, nil
	}
	rest.words = rest.words[1:]
	if found := isoPattern.FindStringSubmatch(p.peek()); found != nil {
		return p.onDate(rest, found[3], found[2], found[1])
	}
	if found := dotPattern.FindStringSubmatch(p.peek()); found != nil {
		clocked := *p
		if _, isClock := clocked.takeClock(false); isClock && found[3] == "" && !rest.hasClock() && !(p.onDay &&
			isMonth(found[2])) {
			return d, false, nil // the text is a time such as 10.30
		}
		return p.onDate(rest, found[1], found[2], found[4])
	}
	found := slashPattern.FindStringSubmatch(p.peek())
	if found == nil {
		if found = dashPattern.FindStringSubmatch(p.peek()); found == nil {
			return d, false, nil
		}
	}
	first, ok1, err1 := p.onDate(rest, found[1], found[2], found[3])
	other := *p
	second, ok2, err2 := other.onDate(rest, found[2], found[1], found[3])
	order := p.order
	switch {
	case !ok2 || err2 != nil || first.midnight.Equal(second.midnight):
		order = DayFirst
	case !ok1 || err1 != nil:
		order = MonthFirst
	}
	first.slashes, second.slashes = found[0], found[0]
	switch order {
	case DayFirst:
		return first, ok1, err1
	case MonthFirst:
		*p = other
		return second, ok2, err2
	}
	return d, false, p.askDate(found[0], first.midnight, second.midnight)
}

// hasClock reports whether a time of the day follows.
func (p *phrase) hasClock() bool {
	rest := *p
	_, ok := rest.skip("at", ",", "um").takeClock(false)
	return ok
}

// onDate returns a day by its numbers. Without a year it is the next such day.
func (p *phrase) onDate(rest phrase, dayText, monthText, yearText string) (d day, ok bool, err error) {
	n, _ := strconv.Atoi(dayText)
	month, _ := strconv.Atoi(monthText)
	year, _ := strconv.Atoi(yearText)
	if d.midnight, ok = p.dateIn(year, len(yearText), time.Month(month), n); !ok {
		return d, false, nil
	}
	return d, true, p.advance(rest)
}

// dateIn returns a date. A year of two digits is in this century. Without a year it takes the next
// year that has such a day, beginning with this year. ok is false if no year has it.
func (p *phrase) dateIn(year, digits int, month time.Month, n int) (date time.Time, ok bool) {
	if digits == 2 {
		year += 2000
	}
	last := year
	if digits == 0 {
		year = p.today().Year()
		last = year + leapYears
	}
	for ; year <= last; year++ {
		date = time.Date(year, month, n, 0, 0, 0, 0, time.UTC)
		if date.Day() == n && date.Month() == month && (digits > 0 || !date.Before(p.today())) {
			return date, true
		}
	}
	return p.lastDay(year-1, digits > 0, month, n)
}

// lastDay reads an impossible date as the month's last day, and keeps the date for the author's
// error. The result ok is false if such a date can't be read, or if a number is no day or no month.
func (p *phrase) lastDay(year int, dated bool, month time.Month, n int) (date time.Time, ok bool) {
	if p.impossible == nil || month < time.January || month > time.December || n < 1 || n > 31 {
		return date, false
	}
	*p.impossible = fmt.Sprintf(textNoSuchDay, month, Ordinal(n))
	if dated && isInLeapYear(n, month) {
		*p.impossible = fmt.Sprintf(textNoSuchDay, year, fmt.Sprintf("%d %s", n, month))
	}
	return onDay(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), n), true
}

// isInLeapYear reports whether a month has a day n in a leap year.
func isInLeapYear(n int, month time.Month) bool {
	return time.Date(2028, month, n, 0, 0, 0, 0, time.UTC).Month() == month
}

// leapYears is the maximum number of years between two leap days.
const leapYears = 8
