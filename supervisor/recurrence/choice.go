package recurrence

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"mews/supervisor"
)

// AmbiguousTimeError is an error about a time that can mean two things.
type AmbiguousTimeError struct {
	Labels [2]string // the two meanings, such as 3 April or In 17 h
	Texts  [2]string // the author's text, completed with each of the two meanings
	// Orders are the orders of dates that give the two meanings; "" for other ambiguities.
	Orders [2]DateOrder
}

// Error returns the two meanings.
func (e *AmbiguousTimeError) Error() string { return e.Labels[0] + " or " + e.Labels[1] }

// askChoice returns an error about a text that can mean two things. hints say how to write each of
// the two meanings.
func askChoice(written string, choice AmbiguousTimeError, hints [2]string) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Err: &choice,
		Message: fmt.Sprintf(textWhich, written, hints[0]+" or "+hints[1])}
}

// askDate returns an error about a date such as 3/4, which can mean two days.
func (p *phrase) askDate(written string, days ...time.Time) error {
	choice, hints := AmbiguousTimeError{Orders: [2]DateOrder{DayFirst, MonthFirst}}, [2]string{}
	for i, at := range days {
		choice.Labels[i], hints[i] = at.Format("2 January"), at.Format("2 Jan")
		choice.Texts[i] = strings.Replace(p.text, written, at.Format("2 January 2006"), 1)
	}
	return askChoice(written, choice, hints)
}

// askHalf returns an error about a time of the day that has passed today, such as 8. It can mean
// that time tomorrow, or the next such time of the other half of the day.
func (p *phrase) askHalf(c clock) error {
	other := c
	other.minutes = (c.minutes + 12*60) % (24 * 60)
	choice, hints := AmbiguousTimeError{}, [2]string{}
	for i, c := range []clock{c, other} {
		date := p.nextClock(c)
		at := fmt.Sprintf("at %d:%02d", c.minutes/60, c.minutes%60)
		if i == 0 {
			at = "at " + c.written
		}
		if date.After(p.today()) {
			at = "tomorrow " + at
		}
		choice.Labels[i] = strings.ToUpper(at[:1]) + at[1:]
		choice.Texts[i] = date.Add(c.sinceMidnight()).Format(exactLayout)
		hints[i] = fmt.Sprintf("%q", at)
	}
	return askChoice(p.text, choice, hints)
}

// nextClock returns the date of the next time of the day c.
func (p *phrase) nextClock(c clock) (date time.Time) {
	if date = p.today(); date.Add(c.sinceMidnight()).After(wallOf(p.now)) {
		return date
	}
	return date.AddDate(0, 0, 1)
}

// exactLayout is a date with a time that Parse reads.
const exactLayout = "2006-01-02 15:04:05"

// hoursPattern matches 17h, 17 h, and 17h30. These are lengths in English, and times of the day in
// other languages.
var hoursPattern = regexp.MustCompile(`^(\d{1,2}) ?h(\d{2})?$`)

// firstHour is the first hour of the day that people mean by words such as 6h. Before that, such
// words are a length.
const firstHour = 6

// takeHours reads 17h30 or 08h as a time of the day. It returns an error for 8h, 17h and 8h30,
// which can also be a length. For all other texts the result is is false.
func (p *phrase) takeHours() (r Rule, is bool, err error) {
	found := hoursPattern.FindStringSubmatch(strings.ToLower(p.text))
	if found == nil {
		return r, false, nil
	}
	spelled := phrase{words: []string{found[1] + ":" + (found[2] + "00")[:2]}}
	c, ok := spelled.takeClock(true)
	switch hour := int(c.minutes) / 60; {
	case !ok || hour < firstHour && !c.padded:
		return r, false, nil
	case c.padded || hour > 12 && found[2] != "":
		p.words = nil
		r, err = p.once(moment{clock: &c})
		return r, true, err
	}
	date := p.nextClock(c)
	length := strings.ReplaceAll(found[0], " ", "")
	hints := [2]string{fmt.Sprintf("%q", "in "+length), fmt.Sprintf("%q", "at "+c.written)}
	return r, true, askChoice(p.text, AmbiguousTimeError{Labels: [2]string{"In " + length, "At " + c.minutes.String()},
		Texts: [2]string{"in " + length, date.Add(c.sinceMidnight()).Format(exactLayout)}}, hints)
}
