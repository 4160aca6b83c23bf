package recurrence

import (
	"cmp"
	"slices"
	"time"
)

// phrase is the unread rest of a text, in lower case.
type phrase struct {
	words []string
	now   time.Time
	text  string // the whole text, as written
	order DateOrder
	end   time.Time // the end of a rule; set only in the phrase that cutEnd returns
	onDay bool      // the word "on" comes before the next word, so that 10.12 is a day
	// impossible gets a date that no year has, such as 31 November. If it is nil, such a date can't
	// be read.
	impossible *string
}

// take removes the next word if the list any contains it.
func (p *phrase) take(any ...string) bool {
	if len(p.words) > 0 && slices.Contains(any, p.words[0]) {
		p.words = p.words[1:]
		return true
	}
	return false
}

// takeAll removes the next words if they are the words of the list all, in order.
func (p *phrase) takeAll(all ...string) bool {
	if len(p.words) >= len(all) && slices.Equal(p.words[:len(all)], all) {
		p.words = p.words[len(all):]
		return true
	}
	return false
}

// skip returns the phrase without its next word, if the list any contains that word.
func (p phrase) skip(any ...string) *phrase {
	p.take(any...)
	return &p
}

// advance continues with rest, a copy of the phrase that has taken more words. It always returns
// nil.
func (p *phrase) advance(rest phrase) error {
	*p = rest
	return nil
}

func (p *phrase) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// wrong returns err, or that the text is unreadable if err is nil.
func (p *phrase) wrong(err error) error { return cmp.Or(err, unreadable(p.text)) }

// forms lists the ways to write a rule, in the order of trying. Each function takes all words of
// its form, or no words.
var forms = []func(*phrase) (Rule, bool, error){(*phrase).parseRepeated, (*phrase).parseIn, (*phrase).parseOnce}

// parseRule reads a rule from the whole phrase.
func (p *phrase) parseRule() (Rule, error) {
	for _, form := range forms {
		rest := *p
		r, is, err := form(&rest)
		switch {
		case !is && err == nil:
			continue
		case err == nil && len(rest.words) > 0:
			err = unreadable(p.text)
		}
		return r, err
	}
	return Rule{}, unreadable(p.text)
}

// parseIn reads "in 20 min", "20m", "17h30", "an hour from now", and "in 2 days at 9".
func (p *phrase) parseIn() (r Rule, is bool, err error) {
	rest := *p
	if r, is, err = p.takeHours(); is {
		return r, is, err
	}
	in := rest.take("in", "after")
	first := rest.peek()
	length, ok := rest.takeLength()
	if !ok || !in && !lengthPattern.MatchString(first) && !shortPattern.MatchString(first) && !rest.hasFromNow() {
		return r, false, nil
	}
	if in {
		rest.take("time")
	}
	fromNow := rest.takeAll("from", "now")
	if len(rest.words) > 0 && !in && !fromNow {
		return r, false, nil // more words follow, as in "17h tomorrow"
	}
	if len(rest.words) > 0 && length.elapsed == 0 {
		m, ok, err := rest.takeMoment()
		if !ok || m.day != nil || err != nil {
			return r, err != nil, err
		}
		m.day = &day{midnight: addMonths(rest.today(), length.months).AddDate(0, 0, length.days)}
		r, err = rest.once(m)
		return r, true, cmp.Or(err, p.advance(rest))
	}
	return Rule{Kind: Once, At: length.after(p.now)}, true, p.advance(rest)
}

func (p phrase) hasFromNow() bool { return p.takeAll("from", "now") }

// moment is a date, a time and a part of the day, in any order. Missing parts are nil.
type moment struct {
	day   *day
	clock *clock
	part  *part
}

// takeMoment reads "tomorrow at 9", "at 7 in the evening on friday", "24 dec, 18:00".
func (p *phrase) takeMoment() (m moment, ok bool, err error) {
	for len(p.words) > 0 {
		part := *p.skip(",")
		rest := part
		at := rest.take("at", "@")
		if !at {
			rest.onDay = rest.take("on")
		}
		if m.day == nil {
			d, ok, err := rest.takeDate()
			rest.onDay = false
			if err != nil {
				return m, false, err
			}
			if ok {
				if m.day = &d; d.part.name != "" {
					m.part = &d.part
				}
				*p = rest
				continue
			}
		}
		if m.clock == nil {
			if c, ok := rest.takeClock(at); ok {
				m.clock = &c
				*p = rest
				continue
			}
		}
		q, ok := part.takePart()
		if !ok || m.part != nil {
			break
		}
		m.part = &q
		*p = part
	}
	return m, m.day != nil || m.clock != nil || m.part != nil, nil
}

// parseOnce reads one date or time of the day.
func (p *phrase) parseOnce() (r Rule, is bool, err error) {
	m, ok, err := p.takeMoment()
	if !ok || err != nil {
		return r, false, err
	}
	if len(p.words) > 0 {
		return r, true, unreadable(p.text)
	}
	r, err = p.once(m)
	return r, true, err
}

// once returns the rule of a moment. A moment without a date is today. It is tomorrow if its time
// has passed today and can mean no other time.
func (p *phrase) once(m moment) (r Rule, err error) {
	r = Rule{Kind: Once, Wall: true}
	q, c := part{}, clock{}
	if m.part != nil {
		q = *m.part
	}
	d := day{midnight: p.today()}
	if m.day != nil {
		d = *m.day
	}
	minutes, later := TimeOfDay(0), 0
	if m.clock == nil {
		minutes, r.NoTime = cmp.Or(q.usual, usualTime), true
	} else {
		c = *m.clock
		var ok bool
		if minutes, later, ok = q.of(c); !ok {
			return r, unreadable(p.text)
		}
		if c.midnight && d.today && later == 0 {
			later = 1
		}
	}
	r.Day, r.Date = d.wanted, d.slashes
	r.partOfDay = m.part != nil
	at := func(days int) Rule {
		c.minutes = minutes
		return r.onceAt(d.midnight.AddDate(0, 0, days).Add(c.sinceMidnight()), p.now.Location())
	}
	r = at(later)
	if m.day != nil || r.At.After(p.now.Add(-maxLate)) {
		return r, nil
	}
	if c.half || c.sure || c.padded || q.name != "" {
		return at(later + 1), nil
	}
	return r, p.askHalf(c)
}
