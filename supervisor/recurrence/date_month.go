package recurrence

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	ordinalPattern = regexp.MustCompile(`^([1-9]|[12]\d|3[01])(st|nd|rd|th)$`)
	dayPattern     = regexp.MustCompile(`^(\d{1,2})(st|nd|rd|th|\.)?$`)
	yearPattern    = regexp.MustCompile(`^\d{4}$`)
)

// takeDayAndMonth reads "24 dec", "the 24th of december", "dec 24, 2026".
func (p *phrase) takeDayAndMonth() (d day, ok bool, err error) {
	rest := *p
	n, month, ok := rest.takeMonthDay()
	if !ok {
		return d, false, nil
	}
	year := 0
	if after := rest.skip(","); yearPattern.MatchString(after.peek()) {
		year, _ = strconv.Atoi(after.peek()) // four digits always parse
		rest.words = after.words[1:]
	}
	digits := 0
	if year > 0 {
		digits = 4
	}
	if d.midnight, ok = p.dateIn(year, digits, month, n); !ok {
		return d, false, unreadable(p.text) // the month has no such day, as in 30 February
	}
	return d, true, p.advance(rest)
}

// takeMonthDay reads a day with the name of its month.
func (p *phrase) takeMonthDay() (n int, month time.Month, ok bool) {
	rest := *p
	rest.take("the")
	if month, ok = monthsOf[strings.TrimSuffix(rest.peek(), ".")]; ok {
		rest.words = rest.words[1:]
		rest.take("the")
		if n, ok = rest.takeDayNumber(); ok {
			*p = rest
		}
		return n, month, ok
	}
	if n, ok = rest.takeDayNumber(); !ok {
		return 0, 0, false
	}
	rest.take("of")
	if month, ok = monthsOf[strings.TrimSuffix(rest.peek(), ".")]; ok {
		rest.words = rest.words[1:]
		*p = rest
	}
	return n, month, ok
}

// takeDayNumber reads 24, 24th, 24. and "first".
func (p *phrase) takeDayNumber() (n int, ok bool) {
	if found := dayPattern.FindStringSubmatch(p.peek()); found != nil {
		n, _ = strconv.Atoi(found[1]) // at most two digits always parse
	} else {
		n = ordinals[p.peek()]
	}
	if n < 1 || n > 31 {
		return 0, false
	}
	p.words = p.words[1:]
	return n, true
}

// takeMonthEnd reads "the last day of the month", "end of next month".
func (p *phrase) takeMonthEnd() (d day, ok bool, err error) {
	rest := *p
	rest.take("the")
	if !rest.takeAll("last", "day", "of") && !rest.takeAll("end", "of") {
		return d, false, nil
	}
	today := p.today()
	if rest.take("next") {
		today = onDay(today, 31).AddDate(0, 0, 1)
	} else {
		rest.take("the", "this")
	}
	month, named := monthsOf[rest.peek()]
	switch {
	case named:
		if today = time.Date(today.Year(), month, 1, 0, 0, 0, 0, time.UTC); month < p.today().Month() {
			today = today.AddDate(1, 0, 0)
		}
		rest.words = rest.words[1:]
	case !rest.take("month"):
		return d, false, nil
	}
	return day{midnight: onDay(today, 31)}, true, p.advance(rest)
}

// takeDayOfMonth reads "the 15th" as the next such day. In a shorter month it takes the last day.
func (p *phrase) takeDayOfMonth() (d day, ok bool, err error) {
	rest := *p
	rest.take("the")
	n, ok := ordinalNumber(rest.peek())
	if !ok {
		return d, false, nil
	}
	rest.words = rest.words[1:]
	month := p.today()
	if rest.takeAll("of", "next", "month") {
		month = onDay(month, 31).AddDate(0, 0, 1)
	} else {
		_ = rest.takeAll("of", "this", "month")
	}
	if d.midnight = onDay(month, n); d.midnight.Before(p.today()) {
		d.midnight = onDay(onDay(month, 31).AddDate(0, 0, 1), n)
	}
	if d.midnight.Day() != n {
		d.wanted = n
	}
	return d, true, p.advance(rest)
}

func ordinalNumber(word string) (int, bool) {
	found := ordinalPattern.FindStringSubmatch(word)
	if found == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(found[1]) // at most two digits always parse
	return n, true
}

// Ordinal returns a day of the month in words, such as 31st.
func Ordinal(day int) string {
	ending := "th"
	if day < 11 || day > 13 {
		ending = cmp.Or(map[int]string{1: "st", 2: "nd", 3: "rd"}[day%10], ending)
	}
	return strconv.Itoa(day) + ending
}

// lastDaysUpTo returns the days from the 28th to a day, for BYMONTHDAY. In each month, the last of
// these days that exists is the day itself, or the last day of a shorter month.
func lastDaysUpTo(n int) string {
	var days []string
	for d := 28; d <= n; d++ {
		days = append(days, strconv.Itoa(d))
	}
	return strings.Join(days, ",")
}

func isWeekday(word string) bool {
	_, ok := weekdaysOf[word]
	return ok
}

// join returns words as their author wrote them.
func join(words []string) string { return strings.ReplaceAll(strings.Join(words, " "), " ,", ",") }
