package recurrence

import (
	"strings"
	"time"

	"mews/supervisor"
)

// DateOrder is the order of day and month in dates such as 3/4.
type DateOrder string

const (
	UnknownDateOrder DateOrder = "" // a date such as 3/4 is refused if it can mean two days
	DayFirst         DateOrder = "day"
	MonthFirst       DateOrder = "month"
)

// DateOrderForLanguage returns the order of dates for an author's language. The language is an IETF
// tag such as en-US. For plain English and for no language, the order is unknown.
func DateOrderForLanguage(language string) DateOrder {
	switch strings.ToLower(strings.ReplaceAll(language, "_", "-")) {
	case "", "en":
		return UnknownDateOrder
	case "en-us":
		return MonthFirst
	}
	return DayFirst
}

// day is a date as its author wrote it.
type day struct {
	midnight time.Time // the midnight with which the date begins, in wall time
	wanted   int       // the written day of the month, if the month has no such day; else 0
	slashes  string    // the date, if it was written with slashes
	part     part      // the part of the day, if the author wrote "tonight"
	today    bool      // whether the author wrote "today" or "tonight"
}

// takeDate reads a day: tomorrow, next friday, 2026-12-24, 24 dec, 31.12.2026, 3/4, the 15th. It
// takes all words of a form, or no words.
func (p *phrase) takeDate() (d day, ok bool, err error) {
	for _, form := range []func(*phrase) (day, bool, error){
		(*phrase).takeRelativeDay, (*phrase).takeWeekday, (*phrase).takeNumericDate, (*phrase).takeDayAndMonth,
		(*phrase).takeMonthEnd, (*phrase).takeDayOfMonth,
	} {
		if d, ok, err = form(p); ok || err != nil {
			return d, ok, err
		}
	}
	return d, false, nil
}

func (p *phrase) today() time.Time { return dateOf(wallOf(p.now)) }

// dateOf returns the midnight with which the day of a wall time begins.
func dateOf(wall time.Time) time.Time { return wall.Truncate(24 * time.Hour) }

// takeRelativeDay reads today, tonight, tomorrow, "the day after tomorrow", "2 days from today".
func (p *phrase) takeRelativeDay() (d day, ok bool, err error) {
	today, rest := p.today(), *p
	if length, ok := rest.takeLength(); ok && length.elapsed == 0 && rest.take("from", "after") {
		if d, ok, err = rest.takeDate(); ok && err == nil {
			d.midnight, d.today = addMonths(d.midnight, length.months).AddDate(0, 0, length.days), false
			*p = rest
		}
		return d, ok, err
	}
	rest = *p
	rest.take("the")
	switch {
	case p.take("today"):
		return day{midnight: today, today: true}, true, nil
	case p.take("tonight"):
		return day{midnight: today, today: true, part: partsOfDay["night"]}, true, nil
	case p.take("tomorrow", "tmrw", "tmr"):
		return day{midnight: today.AddDate(0, 0, 1)}, true, nil
	case rest.takeAll("day", "after", "tomorrow"):
		return day{midnight: today.AddDate(0, 0, 2)}, true, p.advance(rest)
	case rest.takeAll("next", "week"):
		weekday := time.Monday
		if after := rest.skip("on", ","); isWeekday(after.peek()) {
			weekday = weekdaysOf[after.peek()]
			rest.words = after.words[1:]
		}
		return day{midnight: thisWeek(today, weekday).AddDate(0, 0, 7)}, true, p.advance(rest)
	case rest.takeAll("next", "month"):
		return day{midnight: onDay(today, 31).AddDate(0, 0, 1)}, true, p.advance(rest)
	case rest.takeAll("this", "weekend"), rest.takeAll("weekend"):
		return day{midnight: nextWeekday(today, time.Saturday)}, true, p.advance(rest)
	}
	if _, has := partsOfDay[rest.skip("this").peek()]; has && rest.take("this") {
		d = day{midnight: today, today: true, part: partsOfDay[rest.peek()]}
		rest.words = rest.words[1:]
		return d, true, p.advance(rest)
	}
	return d, false, nil
}

// thisWeek returns a day of the week of a date. Weeks begin on Monday.
func thisWeek(date time.Time, weekday time.Weekday) time.Time {
	return date.AddDate(0, 0, (int(weekday)+6)%7-(int(date.Weekday())+6)%7)
}

// nextWeekday returns the first day after a date that is the given day of the week.
func nextWeekday(date time.Time, weekday time.Weekday) time.Time {
	return date.AddDate(0, 0, (int(weekday)-int(date.Weekday())+6)%7+1)
}

// takeWeekday reads "friday", "next friday", "friday next week", "friday, 24 december".
func (p *phrase) takeWeekday() (d day, ok bool, err error) {
	rest := *p
	this := rest.take("this")
	_ = this || rest.take("next", "coming")
	weekday, ok := weekdaysOf[rest.peek()]
	if !ok {
		return d, false, nil
	}
	rest.words = rest.words[1:]
	d.midnight = nextWeekday(p.today(), weekday)
	if this && weekday == p.today().Weekday() {
		d.midnight = p.today()
	}
	dated := rest
	dated.take(",")
	if date, has, err := dated.takeDayAndMonth(); err != nil || has {
		if other := date.midnight.Weekday(); err == nil && other != weekday {
			err = supervisor.Errorf(supervisor.CodeInvalid, textOtherWeekday, date.midnight.Format("2 Jan 2006"), other)
		}
		*p = dated
		return date, true, err
	}
	if rest.takeAll("of", "next", "week") || rest.takeAll("in", "next", "week") || rest.takeAll("next", "week") {
		d.midnight = thisWeek(p.today(), weekday).AddDate(0, 0, 7)
	}
	return d, true, p.advance(rest)
}
