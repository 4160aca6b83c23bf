package recurrence

import (
	"regexp"
	"strconv"
	"time"
)

// unit is a length of elapsed time, of calendar days, or of calendar months.
type unit struct {
	elapsed time.Duration
	days    int
	months  int
}

var (
	seconds = unit{elapsed: time.Second}
	minutes = unit{elapsed: time.Minute}
	hours   = unit{elapsed: time.Hour}
	units   = map[string]unit{
		"s": seconds, "sec": seconds, "secs": seconds, "second": seconds, "seconds": seconds,
		"m": minutes, "min": minutes, "mins": minutes, "minute": minutes, "minutes": minutes,
		"h": hours, "hr": hours, "hrs": hours, "hour": hours, "hours": hours,
		"d": {days: 1}, "day": {days: 1}, "days": {days: 1}, "w": {days: 7}, "wk": {days: 7}, "week": {days: 7},
		"weeks": {days: 7}, "fortnight": {days: 14}, "fortnights": {days: 14},
		"month": {months: 1}, "months": {months: 1}, "quarter": {months: 3}, "quarters": {months: 3},
		"year": {months: 12}, "years": {months: 12},
	}
	// numberWords are the numbers that people write in words.
	numberWords = map[string]int{
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
		"fortyfive": 45, "sixty": 60, "ninety": 90,
	}
)

var (
	// lengthPattern matches 20, 1.5, and 20min.
	lengthPattern = regexp.MustCompile(`^(\d{1,5})(?:\.(\d{1,2}))?([a-z]*)$`)
	// shortPattern matches 1h30, 1h30m, 2d12h.
	shortPattern = regexp.MustCompile(`^(\d{1,5}[a-z]+)(\d{1,5})([a-z]*)$`)
)

// after returns the moment that is the length u after t. Days and months keep the time of the day.
// In a shorter month it returns the last day.
func (u unit) after(t time.Time) time.Time {
	if u.days != 0 || u.months != 0 {
		wall := wallOf(t)
		t = Instant(addMonths(dateOf(wall), u.months).AddDate(0, 0, u.days).Add(wall.Sub(dateOf(wall))), t.Location())
	}
	return t.Add(u.elapsed)
}

// addMonths returns a date a number of months later. If that month has no such day, it returns the
// month's last day.
func addMonths(date time.Time, months int) time.Time {
	first := time.Date(date.Year(), date.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	return onDay(first, date.Day())
}

// onDay returns a day of the month of a date, or the month's last day if the month has no such day.
func onDay(date time.Time, day int) time.Time {
	last := time.Date(date.Year(), date.Month()+1, 0, 0, 0, 0, 0, time.UTC)
	return last.AddDate(0, 0, min(day, last.Day())-last.Day())
}

func (u unit) plus(other unit) unit {
	return unit{u.elapsed + other.elapsed, u.days + other.days, u.months + other.months}
}

// times multiplies a unit by a number of hundredths. ok is false if the result is no whole number
// of months or of seconds.
func (u unit) times(hundredths int) (unit, bool) {
	elapsed := time.Duration(hundredths) * (u.elapsed + time.Duration(u.days)*24*time.Hour) / 100
	if hundredths%100 == 0 {
		n := hundredths / 100
		return unit{time.Duration(n) * u.elapsed, n * u.days, n * u.months}, n > 0
	}
	sum := unit{elapsed: elapsed}
	if u.days > 0 {
		sum = unit{elapsed: elapsed % (24 * time.Hour), days: int(elapsed / (24 * time.Hour))}
	}
	return sum, u.months == 0 && elapsed > 0 && elapsed%time.Second == 0
}

// takeLength reads "20 min", "2 h 30 min", "an hour and a half", "1.5 hours", "1h30".
func (p *phrase) takeLength() (sum unit, ok bool) {
	rest := *p
	if found := shortPattern.FindStringSubmatch(rest.peek()); found != nil {
		more := found[2] + found[3]
		if found[3] == "" {
			more += "m"
		}
		rest.words = append([]string{found[1], more}, rest.words[1:]...)
	}
	if sum, ok = rest.takeUnits(); !ok {
		return sum, false
	}
	for {
		more := rest
		more.take("and", ",")
		_, bare := units[more.peek()]
		next, ok := more.takeUnits()
		if bare || !ok {
			*p = rest
			return sum, true
		}
		sum, rest = sum.plus(next), more
	}
}

// takeUnits reads one number of one unit: "20 min", "2h", "an hour and a half", "half an hour".
func (p *phrase) takeUnits() (u unit, ok bool) {
	rest := *p
	hundredths := 100
	switch found := lengthPattern.FindStringSubmatch(rest.peek()); {
	case found != nil:
		n, _ := strconv.Atoi(found[1])                 // at most five digits always parse
		part, _ := strconv.Atoi((found[2] + "00")[:2]) // two digits always parse
		hundredths, rest.words = n*100+part, rest.words[1:]
		if found[3] != "" {
			rest.words = append([]string{found[3]}, rest.words...)
		}
	case numberWords[rest.peek()] > 0:
		hundredths, rest.words = 100*numberWords[rest.peek()], rest.words[1:]
	case rest.takeAll("a", "couple"):
		rest.take("of")
		hundredths = 200
	case rest.takeAll("half", "a") || rest.takeAll("half", "an") || rest.takeAll("a", "half") || rest.take("half"):
		hundredths = 50
	case rest.takeAll("quarter", "of", "an") || rest.takeAll("a", "quarter", "of", "an"):
		hundredths = 25
	default:
		rest.take("a", "an")
	}
	if rest.takeAll("and", "a", "half") {
		hundredths += 50
	}
	one, ok := units[rest.peek()]
	if !ok {
		return u, false
	}
	rest.words = rest.words[1:]
	if rest.takeAll("and", "a", "half") {
		hundredths += 50
	}
	if u, ok = one.times(hundredths); ok {
		*p = rest
	}
	return u, ok
}
