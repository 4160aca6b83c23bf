package recurrence

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// repetition is a repeating rule that is still being read.
type repetition struct {
	every    time.Duration // an interval of elapsed time; all other fields are empty then
	freq     string        // the FREQ of a rule of iCalendar; "" means days of the week
	interval int
	days     Weekdays // the days of the week on which the rule is due
	by       string   // the other parts of a rule of iCalendar, such as BYMONTHDAY=1
	wanted   int      // the written day of the month, if not every month has it
	clocks   []clock
	part     part
}

// frequencies are the words that mean a length between repetitions.
var frequencies = map[string]unit{
	"hourly": {elapsed: time.Hour}, "weekly": {days: 7}, "biweekly": {days: 14}, "fortnightly": {days: 14},
	"monthly": {months: 1}, "quarterly": {months: 3}, "yearly": {months: 12}, "annually": {months: 12},
}

// parseRepeated reads a rule that repeats. A time of the day may come first.
func (p *phrase) parseRepeated() (r Rule, is bool, err error) {
	rest := *p
	rest.take("at")
	c, early := rest.takeClock(true)
	if !early {
		rest = *p
	}
	rest.take(",")
	s := repetition{}
	if !rest.takeDays(&s) {
		return r, false, nil
	}
	rest.takeTimes(&s)
	if early && len(s.clocks) > 0 {
		return r, false, nil
	}
	if early {
		s.clocks = []clock{c}
	}
	if len(rest.words) > 0 {
		return r, true, unreadable(p.text)
	}
	*p = rest
	r, ok := p.repeated(s)
	if !ok {
		err = unreadable(p.text)
	}
	return r, true, err
}

// takeDays reads the days of a rule that repeats: "every 2 weeks on monday", "weekdays", "on the
// 1st of every month".
func (p *phrase) takeDays(s *repetition) bool {
	rest := *p
	every := rest.take("every", "each")
	length, named := frequencies[rest.peek()]
	switch {
	case every && rest.takeEvery(s):
	case every:
		return false
	case named:
		rest.words = rest.words[1:]
		if !s.setLength(length) {
			return false
		}
		rest.takeDetails(s)
	default:
		rest.take("on")
		listed, first := rest, rest.peek()
		_, set := daySets[first]
		if rest.takeWeekdays(s) && (isPlural(first) || !set && bits.OnesCount8(uint8(s.days)) > 2) {
			break
		}
		rest, *s = listed, repetition{}
		rest.take("the")
		if !rest.takeOrdinals(s) || !rest.takeOfMonth() {
			return false
		}
	}
	*p = rest
	return true
}

// takeEvery reads the words after "every".
func (p *phrase) takeEvery(s *repetition) bool {
	rest := *p
	n, ofMonth := 1, false
	if rest.take("other") {
		n = 2
	} else if rank := rest.rank(); rank > 1 {
		after := *rest.skip(rest.peek())
		_, counts := units[after.peek()]
		if ofMonth = after.hasOfMonth(); !ofMonth && (counts || rank == 2 && isWeekday(after.peek())) {
			n, rest = rank, after
		}
	}
	if n == 2 && isWeekday(rest.peek()) {
		s.freq, s.interval = "WEEKLY", 2
		*p = rest
		return p.takeWeekdays(s)
	}
	if length, ok := rest.takeLength(); ok && !ofMonth {
		length, ok = length.times(100 * n)
		if !ok || !s.setLength(length) {
			return false
		}
		*p = rest
		p.takeDetails(s)
		return true
	}
	if rest = *p; n > 1 {
		return false
	}
	if day, month, ok := rest.takeMonthDay(); ok {
		*p = rest
		return p.setDate(s, day, month)
	}
	if q, ok := partsOfDay[rest.peek()]; ok {
		s.part, s.days = q, everyDay
		p.words = p.words[1:]
		return true
	}
	rest.take("the")
	if rest.takeOrdinals(s) {
		*p = rest
		_ = p.takeOfMonth()
		return true
	}
	return p.takeWeekdays(s)
}

// rank returns the number of an ordinal such as 2nd or second; 0 if the next word is no ordinal.
// The word last gives -1.
func (p *phrase) rank() int {
	if n, ok := ordinalNumber(p.peek()); ok {
		return n
	}
	return ordinals[p.peek()]
}

// hasOfMonth reports whether "friday of the month" follows.
func (p phrase) hasOfMonth() bool {
	p.words = p.words[min(1, len(p.words)):]
	return p.takeOfMonth()
}

// takeOfMonth reads "of the month", "of every month", "every month".
func (p *phrase) takeOfMonth() bool {
	rest := *p
	of := rest.take("of", "in")
	if !rest.take("every", "each") && !(of && rest.take("the", "a")) || !rest.take("month") {
		return false
	}
	*p = rest
	return true
}

// setLength sets the length between repetitions. It returns false for a length of mixed units, such
// as a day and an hour.
func (s *repetition) setLength(length unit) bool {
	switch n := length.days; {
	case length.elapsed > 0 && n == 0 && length.months == 0:
		s.every = length.elapsed
	case length.elapsed > 0 || n > 0 && length.months > 0:
		return false
	case length.months > 0 && length.months%12 == 0:
		s.freq, s.interval = "YEARLY", length.months/12
	case length.months > 0:
		s.freq, s.interval = "MONTHLY", length.months
	case n%7 == 0:
		s.freq, s.interval = "WEEKLY", n/7
	default:
		s.freq, s.interval = "DAILY", n
	}
	return true
}

// takeTimes reads the times of the day: "at 8 and 20:00", "in the evening", "morning at 7".
func (p *phrase) takeTimes(s *repetition) {
	spoken := false // an "at" also holds for the times after the first time
	for len(p.words) > 0 {
		part := *p.skip(",")
		if len(s.clocks) > 0 {
			part.take("and", "&")
		}
		rest := part
		spoken = rest.take("at", "@") || spoken && len(part.words) < len(p.words)
		if c, ok := rest.takeClock(spoken); ok {
			s.clocks = append(s.clocks, c)
			*p = rest
			continue
		}
		q, ok := part.takePart()
		if !ok || s.part.name != "" {
			return
		}
		s.part = q
		*p = part
	}
}

// repeated returns the rule of a repetition. Days without a time get the usual time. A mere length,
// such as "every week", counts from today.
func (p *phrase) repeated(s repetition) (r Rule, ok bool) {
	if s.every > 0 {
		at := p.now.Add(s.every).Truncate(time.Second)
		return Rule{Kind: Interval, At: at, Every: s.every}, len(s.clocks) == 0 && s.part.name == ""
	}
	times, ok := s.times()
	r.NoTime, r.Day, r.partOfDay = len(s.clocks) == 0, s.wanted, s.part.name != ""
	if s.interval == 1 && (s.freq == "DAILY" || s.freq == "WEEKLY" && s.days != 0) {
		s.freq = ""
	}
	if s.freq == "" {
		if r.Kind, r.Times = Daily, times; s.days != everyDay {
			r.Days = s.days
		}
		return r, ok
	}
	fromNow := s.days == 0 && s.by == ""
	if fromNow {
		s.countFrom(p.today())
	}
	r.Kind, r.At = RRule, p.now.Truncate(time.Minute)
	by, product := byTimes(times)
	if r.Expression = s.expression(by); !fromNow {
		r = r.beginNext(p.now)
	}
	return r, ok && product && (len(times) == 1 || !strings.Contains(s.by, "BYSETPOS"))
}

// countFrom takes the day of months and years from a date.
func (s *repetition) countFrom(date time.Time) {
	switch s.freq {
	case "MONTHLY":
		if date.Day() > 28 {
			s.wanted = date.Day()
		}
		s.setMonthDays([]string{strconv.Itoa(date.Day())}, nil)
	case "YEARLY":
		s.setDate(date.Day(), date.Month())
	}
}

// times returns the times of the day, in order. ok is false if a time is not in the part of the
// day.
func (s repetition) times() (times []TimeOfDay, ok bool) {
	for _, c := range s.clocks {
		at, later, ok := s.part.of(c)
		// Friday night at 1 is on Saturday, so only a rule for all days may have such a time
		if !ok || c.seconds != 0 || later > 0 && s.days != everyDay {
			return nil, false
		}
		times = append(times, at)
	}
	if len(times) == 0 {
		times = []TimeOfDay{cmp.Or(s.part.usual, usualTime)}
	}
	slices.Sort(times)
	return slices.Compact(times), true
}

// byTimes returns the part of a rule of iCalendar for times of the day. Such a rule is due at all
// its minutes in all its hours. ok is false if that does not give exactly these times.
func byTimes(times []TimeOfDay) (by string, ok bool) {
	var hours, minutes []string
	for _, at := range times {
		hours, minutes = append(hours, fmt.Sprint(int(at)/60)), append(minutes, fmt.Sprint(int(at)%60))
	}
	slices.Sort(minutes)
	hours, minutes = slices.Compact(hours), slices.Compact(minutes)
	by = ";BYHOUR=" + strings.Join(hours, ",") + ";BYMINUTE=" + strings.Join(minutes, ",")
	return by, len(hours)*len(minutes) == len(times)
}

// expression returns a rule of iCalendar; by is its part for the times of the day.
func (s repetition) expression(by string) string {
	text := "FREQ=" + s.freq
	if s.interval > 1 || s.freq == "DAILY" {
		text += fmt.Sprintf(";INTERVAL=%d", s.interval)
	}
	var names []string
	for day := range time.Weekday(7) {
		if s.days != 0 && s.days.Has(day) {
			names = append(names, strings.ToUpper(day.String()[:2]))
		}
	}
	if len(names) > 0 {
		text += ";BYDAY=" + strings.Join(names, ",")
	}
	return text + s.by + by
}
