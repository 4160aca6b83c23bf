package recurrence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// phrase is the unread rest of a text, in lower case.
type phrase struct {
	words []string
	now   time.Time
	text  string // the whole text, as written
}

// take removes the next word if it is one of any.
func (p *phrase) take(any ...string) bool {
	if len(p.words) > 0 && slices.Contains(any, p.words[0]) {
		p.words = p.words[1:]
		return true
	}
	return false
}

func (p *phrase) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// forms lists the ways to write a rule, in the order of trying. Each function reads all words of
// its form, or no word.
var forms = []func(*phrase) (Rule, bool, error){
	(*phrase).parseIn, (*phrase).parseMonthly, (*phrase).parseEvery, (*phrase).parseDaily, (*phrase).parseDated,
	(*phrase).parseTimeToday,
}

// parseRule reads a rule from the whole phrase.
func (p *phrase) parseRule() (Rule, error) {
	for _, form := range forms {
		rest := *p
		r, is, err := form(&rest)
		switch {
		case !is:
			continue
		case err == nil && len(rest.words) > 0:
			err = unreadable(p.text)
		}
		return r, err
	}
	return Rule{}, unreadable(p.text)
}

// parseIn reads "in 20 min", and "in 2 days" at the same time of the day.
func (p *phrase) parseIn() (r Rule, is bool, err error) {
	if !p.take("in") {
		return r, false, nil
	}
	n, u, ok := p.parseLength()
	if !ok {
		return r, true, unreadable(p.text)
	}
	at := p.now.Add(time.Duration(n) * u.elapsed)
	if u.days > 0 {
		at = instant(wallOf(p.now).AddDate(0, 0, n*u.days), p.now.Location())
	}
	return Rule{Kind: Once, At: at}, true, nil
}

// parseEvery reads "every 2 h", "every day at 8", "every monday and thursday at 9", "hourly".
func (p *phrase) parseEvery() (r Rule, is bool, err error) {
	if p.take("hourly") {
		return Rule{Kind: Interval, At: p.now.Add(time.Hour).Truncate(time.Second), Every: time.Hour}, true, nil
	}
	if !p.take("every", "each") {
		return r, false, nil
	}
	rest := *p
	n, u, ok := rest.parseLength()
	switch {
	case ok && u.days == 0:
		*p = rest
		every := time.Duration(n) * u.elapsed
		return Rule{Kind: Interval, At: p.now.Add(every).Truncate(time.Second), Every: every}, true, nil
	case ok && (n*u.days > 1 || len(rest.words) == 0):
		*p = rest
		return p.parseEveryDays(n * u.days)
	}
	return p.parseDays()
}

// parseEveryDays reads "every 2 days at 9". Without a time it uses the current time of the day.
func (p *phrase) parseEveryDays(n int) (r Rule, is bool, err error) {
	r = Rule{Kind: RRule, At: p.now.Truncate(time.Minute), Expression: fmt.Sprintf("FREQ=DAILY;INTERVAL=%d", n)}
	if len(p.words) > 0 {
		p.take("at")
		at, err := p.parseTimeOfDay()
		r.Expression += fmt.Sprintf(";BYHOUR=%d;BYMINUTE=%d", at/60, at%60)
		return r, true, err
	}
	return r, true, nil
}

// parseDaily reads "weekdays 8:30", "daily at 8, 20:00", "mondays at 9".
func (p *phrase) parseDaily() (r Rule, is bool, err error) {
	if _, plural := weekdaysOf[strings.TrimSuffix(p.peek(), "s")]; plural && strings.HasSuffix(p.peek(), "days") ||
		isDays(p.peek()) {
		return p.parseDays()
	}
	return r, false, nil
}

// parseDays reads days of the week and times.
func (p *phrase) parseDays() (r Rule, is bool, err error) {
	r.Kind = Daily
	for {
		days, ok := parseDaySet(p.peek())
		if !ok {
			return r, true, unreadable(p.text)
		}
		r.Days |= days
		p.words = p.words[1:]
		if !p.take("and", ",") {
			break
		}
	}
	if r.Days == everyDay {
		r.Days = 0
	}
	p.take("at")
	for {
		at, err := p.parseTimeOfDay()
		if err != nil {
			return r, true, err
		}
		r.Times = append(r.Times, at)
		if !p.take("and", ",") {
			break
		}
	}
	slices.Sort(r.Times)
	r.Times = slices.Compact(r.Times)
	return r, true, nil
}

// parseMonthly reads "first monday of the month at 10", "last day of the month at 18:00", "15th of
// the month at 9".
func (p *phrase) parseMonthly() (r Rule, is bool, err error) {
	rest := *p
	rest.take("every", "each", "the")
	n, ordinal := ordinals[rest.peek()]
	if !ordinal {
		n, ordinal = ordinalNumber(rest.peek())
	}
	if !ordinal {
		return r, false, nil
	}
	rest.words = rest.words[1:]
	by := fmt.Sprintf("BYMONTHDAY=%d", n)
	if day, ok := weekdaysOf[rest.peek()]; ok && n <= 5 {
		by = fmt.Sprintf("BYDAY=%d%s", n, strings.ToUpper(day.String()[:2]))
		rest.words = rest.words[1:]
	} else {
		rest.take("day")
	}
	if !rest.take("of") || !(rest.take("every", "each", "the") && rest.take("month")) {
		return r, false, nil
	}
	rest.take("at")
	at, err := rest.parseTimeOfDay()
	*p = rest
	expression := fmt.Sprintf("FREQ=MONTHLY;%s;BYHOUR=%d;BYMINUTE=%d", by, at/60, at%60)
	return Rule{Kind: RRule, At: p.now.Truncate(time.Minute), Expression: expression}, true, err
}

// parseDated reads "tomorrow at 9", "friday 18:00", "24 dec 2026 at 9".
func (p *phrase) parseDated() (r Rule, is bool, err error) {
	if strings.Count(p.peek(), "/") == 1 {
		return r, true, p.askDate()
	}
	p.take("on")
	date, ok := p.parseDate()
	if !ok {
		return r, false, nil
	}
	p.take("at")
	at, err := p.parseTimeOfDay()
	return Rule{
		Kind: Once,
		At:   instant(date.Add(time.Duration(at)*time.Minute), p.now.Location()),
		Wall: true,
	}, true, err
}

// askDate returns an error about a date such as 3/4, which has two readings.
func (p *phrase) askDate() error {
	a, b, _ := strings.Cut(p.peek(), "/")
	var days []string
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		day, err := strconv.Atoi(pair[0])
		month, err2 := strconv.Atoi(pair[1])
		if err == nil && err2 == nil && day >= 1 && day <= 31 && month >= 1 && month <= 12 {
			days = append(days, fmt.Sprintf("%d %s", day, time.Month(month).String()[:3]))
		}
	}
	if len(days) == 0 {
		return unreadable(p.text)
	}
	return supervisor.Errorf(supervisor.CodeInvalid, textWhich, p.peek(), strings.Join(slices.Compact(days), " or "))
}

// parseTimeToday reads "at 8" as a time of today. If that time is past, the words may mean tomorrow
// or the evening.
func (p *phrase) parseTimeToday() (r Rule, is bool, err error) {
	at := p.take("at")
	written := p.peek()
	minutes, err := p.parseTimeOfDay()
	if err != nil {
		return r, at, err
	}
	if len(p.words) > 0 {
		return r, true, unreadable(p.text)
	}
	today := dateOf(wallOf(p.now))
	r = Rule{Kind: Once, At: instant(today.Add(time.Duration(minutes)*time.Minute), p.now.Location()), Wall: true}
	if r.At.After(p.now.Add(-maxLate)) {
		return r, true, nil
	}
	choice := fmt.Sprintf("%q", "tomorrow at "+written)
	if evening := minutes + 12*60; minutes < 12*60 &&
		instant(today.Add(time.Duration(evening)*time.Minute), p.now.Location()).After(p.now) {
		choice += fmt.Sprintf(" or %q", fmt.Sprintf("at %d:%02d", evening/60, evening%60))
	}
	return r, true, supervisor.Errorf(supervisor.CodeInvalid, textWhich, p.text, choice)
}
