package recurrence

import (
	"regexp"
	"strconv"
	"time"
)

// clock is a time of the day as its author wrote it.
type clock struct {
	minutes  TimeOfDay
	seconds  int
	half     bool // whether the half of the day is written, as in 6 pm or noon
	sure     bool // whether the half of the day is known, as in 18:00, 6 pm or noon
	padded   bool // whether the hour begins with a zero, as in 08:00
	midnight bool // whether the author wrote the word midnight
	written  string
}

func (c clock) sinceMidnight() time.Duration {
	return time.Duration(c.minutes)*time.Minute + time.Duration(c.seconds)*time.Second
}

var (
	timePattern = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2})(?::(\d{2}))?)?(am|pm|h|hrs)?$`)
	// digitsPattern matches 1830 and 930, which are times only after "at".
	digitsPattern = regexp.MustCompile(`^([1-9]|[01]\d|2[0-3])([0-5]\d)(h|hrs)?$`)
	clockWords    = map[string]clock{
		"noon": {minutes: 12 * 60, sure: true, half: true}, "midday": {minutes: 12 * 60, sure: true, half: true},
		"midnight": {sure: true, midnight: true},
	}
	quarters = map[string]int{"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twentyfive": 25,
		"5": 5, "10": 10, "15": 15, "20": 20, "25": 25}
)

// takeClock reads 8, 8:30, 8am, 8 pm, noon, half past 7, quarter to eight. spoken allows numbers in
// words, 1830, and 930.
func (p *phrase) takeClock(spoken bool) (c clock, ok bool) {
	rest := *p
	if c, ok = clockWords[rest.peek()]; ok {
		rest.words = rest.words[1:]
	} else if c, ok = rest.takePast(); !ok {
		c, ok = rest.takeHour(spoken)
	}
	if !ok {
		return c, false
	}
	c.written = join(p.words[:len(p.words)-len(rest.words)])
	*p = rest
	return c, true
}

// takePast reads "half past 7", "a quarter to 8", "20 past seven".
func (p *phrase) takePast() (c clock, ok bool) {
	rest := *p
	rest.take("a")
	by, ok := quarters[rest.peek()]
	if !ok {
		return c, false
	}
	rest.words = rest.words[1:]
	rest.take("minutes", "min")
	before := by != 30 && rest.take("to", "before")
	if !before && !rest.take("past", "after") {
		return c, false
	}
	if c, ok = rest.takeHour(true); !ok || c.minutes%60 != 0 || c.seconds != 0 {
		return c, false
	}
	if before {
		by = 24*60 - by
	}
	c.minutes = (c.minutes + TimeOfDay(by)) % (24 * 60)
	*p = rest
	return c, true
}

// takeHour reads 8, 8:30, 8am, 8 pm.
func (p *phrase) takeHour(spoken bool) (c clock, ok bool) {
	rest := *p
	found := timePattern.FindStringSubmatch(rest.peek())
	if found == nil && spoken {
		if found = digitsPattern.FindStringSubmatch(rest.peek()); found != nil {
			found = []string{"", found[1], found[2], "", found[3]}
		} else if n := numberWords[rest.peek()]; n > 0 {
			found = []string{"", strconv.Itoa(n), "", "", ""}
		}
	}
	if found == nil {
		return c, false
	}
	rest.words = rest.words[1:]
	half := found[4]
	if half == "" && (rest.peek() == "am" || rest.peek() == "pm") {
		half = rest.peek()
		rest.words = rest.words[1:]
	}
	hour, _ := strconv.Atoi(found[1])     // at most two digits always parse
	minute, _ := strconv.Atoi(found[2])   // two digits parse; without digits it is 0
	c.seconds, _ = strconv.Atoi(found[3]) // two digits parse; without digits it is 0
	c.half, c.padded = half != "", found[1][0] == '0'
	c.sure = c.half || hour > 12 || hour == 0
	if half == "am" || half == "pm" {
		if hour < 1 || hour > 12 {
			return c, false
		}
		if hour %= 12; half == "pm" {
			hour += 12
		}
	}
	c.minutes = TimeOfDay(hour*60 + minute)
	*p = rest
	return c, hour <= 23 && minute <= 59 && c.seconds <= 59
}

// part is a part of the day.
type part struct {
	name    string
	usual   TimeOfDay // time of the day that "morning" and the like mean if the author wrote no hour
	from    int       // the first hour that means the second half of the day
	to      int       // the last hour that means the second half of the day
	earlier bool      // whether the part of the day begins before noon
	later   bool      // whether hours after midnight belong to the next day
}

var partsOfDay = map[string]part{
	"morning":   {name: "morning", usual: usualTime, earlier: true},
	"afternoon": {name: "afternoon", usual: 15 * 60, from: 1, to: 7},
	"evening":   {name: "evening", usual: 19 * 60, from: 4, to: 11},
	"night":     {name: "night", usual: 20 * 60, from: 6, to: 11, later: true},
}

// usualTime is the time of the day for a date without a time.
const usualTime TimeOfDay = 9 * 60

// takePart reads "morning", "in the evening", "at night".
func (p *phrase) takePart() (part part, ok bool) {
	rest := *p
	if rest.take("in") {
		rest.take("the")
	} else {
		rest.take("at")
	}
	if part, ok = partsOfDay[rest.peek()]; !ok {
		return part, false
	}
	*p = rest
	p.words = p.words[1:]
	return part, true
}

// of returns a clock's time within a part of the day. The result days is 1 if that time is on the
// next day. ok is false for a clock outside of the part.
func (q part) of(c clock) (minutes TimeOfDay, days int, ok bool) {
	minutes = c.minutes
	hour := int(minutes) / 60
	switch {
	case q.name == "":
	case q.earlier && !c.sure && hour == 12:
		minutes -= 12 * 60
	case q.earlier:
		return minutes, 0, hour < 12
	case !c.sure && hour >= q.from && hour <= q.to:
		minutes += 12 * 60
	case c.sure && hour >= 12+q.from:
	case q.from == 1 && hour == 12: // noon is in the afternoon
	case hour == 12 && !c.sure:
		return minutes - 12*60, 1, q.from > 1
	case q.later && hour < q.from, q.from > 1 && c.midnight:
		days = 1
	default:
		return minutes, 0, false
	}
	return minutes, days, true
}
