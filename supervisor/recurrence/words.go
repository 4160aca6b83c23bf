package recurrence

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// unit is a length of elapsed time, or of calendar days.
type unit struct {
	elapsed time.Duration
	days    int
}

var (
	minutes = unit{elapsed: time.Minute}
	hours   = unit{elapsed: time.Hour}
	units   = map[string]unit{
		"m": minutes, "min": minutes, "mins": minutes, "minute": minutes, "minutes": minutes,
		"h": hours, "hr": hours, "hrs": hours, "hour": hours, "hours": hours,
		"d": {days: 1}, "day": {days: 1}, "days": {days: 1}, "w": {days: 7}, "week": {days: 7}, "weeks": {days: 7},
	}
	weekdaysOf = nameIndex(7, func(i int) (time.Weekday, string) { return time.Weekday(i), time.Weekday(i).String() })
	monthsOf   = nameIndex(12,
		func(i int) (time.Month, string) { return time.Month(i + 1), time.Month(i + 1).String() })
	ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
	daySets  = map[string]Weekdays{
		"day":      everyDay,
		"daily":    everyDay,
		"weekday":  workingDays,
		"weekdays": workingDays,
		"weekend":  weekendDays,
		"weekends": weekendDays,
	}
	clockWords = map[string]TimeOfDay{"noon": 12 * 60, "midnight": 0}
)

// nameIndex maps names in lower case: whole names, and their first three letters.
func nameIndex[T any](n int, of func(int) (T, string)) map[string]T {
	names := map[string]T{}
	for i := range n {
		value, name := of(i)
		names[strings.ToLower(name)], names[strings.ToLower(name[:3])] = value, value
	}
	return names
}

var (
	lengthPattern  = regexp.MustCompile(`^(\d{1,5})([a-z]*)$`)
	ordinalPattern = regexp.MustCompile(`^([1-9]|[12]\d|3[01])(st|nd|rd|th)$`)
	dayPattern     = regexp.MustCompile(`^(\d{1,2})(st|nd|rd|th|\.)?$`)
	timePattern    = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?(am|pm|h)?$`)
)

// parseLength reads "20 min", "20min", "2 h", "an hour", "day".
func (p *phrase) parseLength() (n int, u unit, ok bool) {
	rest := *p
	n = 1
	if found := lengthPattern.FindStringSubmatch(rest.peek()); found != nil {
		n, _ = strconv.Atoi(found[1]) // the pattern allows at most five digits
		rest.words = rest.words[1:]
		if found[2] != "" {
			rest.words = append([]string{found[2]}, rest.words...)
		}
	} else {
		rest.take("a", "an")
	}
	if u, ok = units[rest.peek()]; !ok || n == 0 {
		return 0, u, false
	}
	rest.words = rest.words[1:]
	*p = rest
	return n, u, true
}

// parseDaySet returns the days that a word means, such as weekdays.
func parseDaySet(word string) (Weekdays, bool) {
	if set, ok := daySets[word]; ok {
		return set, true
	}
	day, ok := weekdaysOf[word]
	if !ok {
		day, ok = weekdaysOf[strings.TrimSuffix(word, "s")]
	}
	return 1 << day, ok
}

func isDays(word string) bool {
	_, ok := daySets[word]
	return ok
}

func ordinalNumber(word string) (int, bool) {
	found := ordinalPattern.FindStringSubmatch(word)
	if found == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(found[1]) // the pattern allows at most two digits
	return n, true
}

// parseTimeOfDay reads 8, 8:30, 8am, 8 pm, noon.
func (p *phrase) parseTimeOfDay() (TimeOfDay, error) {
	word := p.peek()
	if at, ok := clockWords[word]; ok {
		p.words = p.words[1:]
		return at, nil
	}
	found := timePattern.FindStringSubmatch(word)
	if found == nil {
		return 0, unreadable(p.text)
	}
	p.words = p.words[1:]
	half := found[3]
	if half == "" && (p.peek() == "am" || p.peek() == "pm") {
		half = p.peek()
		p.words = p.words[1:]
	}
	hour, _ := strconv.Atoi(found[1])   // the pattern allows only two digits
	minute, _ := strconv.Atoi(found[2]) // the pattern allows two digits or none
	if half == "am" || half == "pm" {
		if hour < 1 || hour > 12 {
			return 0, unreadable(p.text)
		}
		hour %= 12
		if half == "pm" {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 {
		return 0, unreadable(p.text)
	}
	return TimeOfDay(hour*60 + minute), nil
}

// dateOf returns the midnight at which a wall time's day begins.
func dateOf(wall time.Time) time.Time { return wall.Truncate(24 * time.Hour) }

// parseDate reads a day: today, tomorrow, friday, next friday, 2026-12-24, 24 dec, dec 24 2026. It
// returns midnight in wall time.
func (p *phrase) parseDate() (parseDate time.Time, ok bool) {
	today := dateOf(wallOf(p.now))
	if p.take("today") {
		return today, true
	}
	if p.take("tomorrow") {
		return today.AddDate(0, 0, 1), true
	}
	rest := *p
	rest.take("next", "on")
	if day, is := weekdaysOf[rest.peek()]; is {
		p.words = rest.words[1:]
		ahead := (int(day) - int(today.Weekday()) + 7) % 7
		if ahead == 0 {
			ahead = 7
		}
		return today.AddDate(0, 0, ahead), true
	}
	if date, err := time.Parse(time.DateOnly, p.peek()); err == nil {
		p.words = p.words[1:]
		return date, true
	}
	return p.parseDayAndMonth(today)
}

// parseDayAndMonth reads a day with the name of its month. Without a year the date is in this year
// or the next year.
func (p *phrase) parseDayAndMonth(today time.Time) (date time.Time, ok bool) {
	if len(p.words) < 2 {
		return date, false
	}
	day, month := p.words[0], p.words[1]
	if _, first := monthsOf[day]; first {
		day, month = month, day
	}
	number, m := dayPattern.FindStringSubmatch(day), monthsOf[month]
	if number == nil || m == 0 {
		return date, false
	}
	n, _ := strconv.Atoi(number[1]) // the pattern allows at most two digits
	rest := p.words[2:]
	year, written := today.Year(), false
	if len(rest) > 0 && len(rest[0]) == 4 {
		if y, err := strconv.Atoi(rest[0]); err == nil {
			year, written, rest = y, true, rest[1:]
		}
	}
	date = time.Date(year, m, n, 0, 0, 0, 0, time.UTC)
	if !written && date.Before(today) {
		date = time.Date(year+1, m, n, 0, 0, 0, 0, time.UTC)
	}
	if date.Day() != n {
		return date, false // a date such as 30 February does not exist
	}
	p.words = rest
	return date, true
}
