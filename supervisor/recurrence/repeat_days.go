package recurrence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// takeDetails reads the days within a week, month or year: "on monday", "on the last friday", "on
// dec 24". Without such words it takes nothing.
func (p *phrase) takeDetails(s *repetition) {
	rest := *p
	rest.take("on")
	day, month := 0, time.Month(0)
	took := false
	switch s.freq {
	case "WEEKLY":
		took = rest.takeWeekdays(s)
	case "MONTHLY":
		rest.take("the")
		if took = rest.takeOrdinals(s); took {
			_ = rest.takeAll("of", "the", "month")
		}
	case "YEARLY":
		if day, month, took = rest.takeMonthDay(); took {
			took = p.setDate(s, day, month)
		}
	}
	if took {
		*p = rest
	}
}

// takeWeekdays reads "monday and thursday", "mon, wed, fri", "monday to friday", "weekdays".
func (p *phrase) takeWeekdays(s *repetition) bool {
	rest, sum := *p, Weekdays(0)
	for {
		days, ok := parseDaySet(rest.peek())
		if !ok {
			break
		}
		first := rest.peek()
		rest.words = rest.words[1:]
		if between := *rest.skip("to", "through"); len(between.words) < len(rest.words) {
			if span, ok := daysBetween(first, between.peek()); ok {
				days, rest = span, *between.skip(between.peek())
			}
		}
		sum, *p = sum|days, rest
		rest.take(",")
		rest.take("and", "&")
		rest.take("on")
	}
	s.days = sum
	return sum != 0
}

// setDate is like repetition.setDate. It also keeps an impossible date for the author's error.
func (p *phrase) setDate(s *repetition, day int, month time.Month) (ok bool) {
	if ok = s.setDate(day, month); !ok {
		_, ok = p.lastDay(0, false, month, day)
	}
	return ok
}

// setDate sets a date of each year.
func (s *repetition) setDate(day int, month time.Month) bool {
	s.freq, s.interval, s.by = "YEARLY", max(s.interval, 1), fmt.Sprintf(";BYMONTH=%d;BYMONTHDAY=%d", month, day)
	if month == time.February && day == 29 {
		s.by, s.wanted = ";BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", day
	}
	return isInLeapYear(day, month)
}

// takeOrdinals reads days of a month: "1st", "1st and 15th", "last friday", "last day", "first
// weekday".
func (p *phrase) takeOrdinals(s *repetition) bool {
	rest := *p
	var monthDays, weekDays []string
	for {
		n := rest.rank()
		if n == 0 {
			break
		}
		rest.words = rest.words[1:]
		switch day, named := weekdaysOf[rest.peek()]; {
		case named && n <= 5:
			weekDays = append(weekDays, fmt.Sprint(n, strings.ToUpper(day.String()[:2])))
			rest.words = rest.words[1:]
		case n <= 5 && rest.takeWorkday():
			s.by = fmt.Sprintf(";BYDAY=MO,TU,WE,TH,FR;BYSETPOS=%d", n)
		default:
			rest.take("day")
			if n > 28 {
				s.wanted = n
			}
			monthDays = append(monthDays, strconv.Itoa(n))
		}
		*p = rest
		rest.take(",")
		rest.take("and", "&")
		rest.take("the")
	}
	if !s.setMonthDays(monthDays, weekDays) {
		return false
	}
	s.freq, s.interval = "MONTHLY", max(s.interval, 1)
	return true
}

// takeWorkday reads "weekday" and "working day".
func (p *phrase) takeWorkday() bool {
	return p.take("weekday", "workday") || p.takeAll("working", "day") || p.takeAll("business", "day")
}

// setMonthDays sets the days of a month. In a list of several days, only the 31st can mean the last
// day.
func (s *repetition) setMonthDays(monthDays, weekDays []string) bool {
	switch last := slices.Index(monthDays, "31"); {
	case s.by != "":
		return len(monthDays)+len(weekDays) == 0
	case len(weekDays) > 0:
		s.by = ";BYDAY=" + strings.Join(weekDays, ",")
		return len(monthDays) == 0
	case len(monthDays) == 0:
		return false
	case len(monthDays) == 1 && s.wanted > 0 && s.wanted < 31:
		s.by = ";BYMONTHDAY=" + lastDaysUpTo(s.wanted) + ";BYSETPOS=-1"
	case slices.Contains(monthDays, "29") || slices.Contains(monthDays, "30"):
		return false
	default:
		if last >= 0 {
			monthDays[last] = "-1"
		}
		s.by = ";BYMONTHDAY=" + strings.Join(monthDays, ",")
	}
	return true
}
