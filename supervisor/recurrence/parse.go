package recurrence

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// maxLate is how far in the past a time may be, because writing it took a while.
const maxLate = time.Minute

// maxYear is the last year of a rule. (RFC 3339)
const maxYear = 9999

// maxText is the longest text of a rule, in bytes.
const maxText = 500

// minPeriod is the shortest period.
const minPeriod = time.Minute

// Parse reads words for due times, as a person or a model writes them. It must understand the whole
// text. now is in the user's zone. The rule is due at least once.
//
// An error is for the author: it says what was not understood, is past, or could mean two things.
// If something was not understood, the error wraps ErrUnreadableTime. If something could mean two
// things, it wraps a *AmbiguousTimeError.
func Parse(text string, now time.Time) (Rule, error) {
	return ParseWithDateOrder(text, now, UnknownDateOrder)
}

// ParseWithDateOrder is like Parse, but knows how the author writes dates such as 3/4.
func ParseWithDateOrder(text string, now time.Time, order DateOrder) (Rule, error) {
	r, err := parse(text, now, order)
	if errors.Is(err, ErrUnreadableTime) {
		err = withNearest(text)
	}
	return r, err
}

// parse is like ParseWithDateOrder, but an error does not name the nearest example.
func parse(text string, now time.Time, order DateOrder) (r Rule, err error) {
	if text = strings.Join(strings.Fields(text), " "); len(text) > maxText {
		return Rule{}, unreadable(text)
	}
	if r, err = parseWhole(text, now, order, nil); errors.Is(err, ErrUnreadableTime) {
		impossible := ""
		if _, other := parseWhole(text, now, order, &impossible); impossible != "" && !errors.Is(other,
			ErrUnreadableTime) {
			err = supervisor.Errorf(supervisor.CodeInvalid, textImpossible, impossible)
		}
	} else if errors.As(err, new(*AmbiguousTimeError)) {
		// parse has not read the words after the date yet
		if _, whole := parseWhole(text, now, DayFirst, nil); errors.Is(whole, ErrUnreadableTime) {
			err = whole
		}
	}
	if err != nil {
		return Rule{}, err
	}
	if r.Kind == Interval && r.Every < minPeriod {
		return Rule{}, supervisor.Errorf(supervisor.CodeInvalid, textPeriod, text)
	}
	return r, r.checkDue(text, now)
}

// checkDue returns an error for the author if a rule is never due.
func (r Rule) checkDue(text string, now time.Time) error {
	from := now
	if r.Kind == Once {
		from = now.Add(-maxLate)
	}
	_, found, err := r.Next(from, now.Location())
	switch {
	case err != nil:
		return err
	case r.At.Year() > maxYear || r.Until.Year() > maxYear:
		return unreadable(text)
	case !found && r.Kind == Once:
		return supervisor.Errorf(supervisor.CodeInvalid, textPast, r.At.Format(dayAndTime+" MST"))
	case !found:
		return supervisor.Errorf(supervisor.CodeInvalid, textNever, text)
	}
	return nil
}

var timesPattern = regexp.MustCompile(`^(.+?)( for)? ([1-9]\d{0,3}) times$`)

// parseWhole reads a rule and its end. impossible is as in phrase.
func parseWhole(text string, now time.Time, order DateOrder, impossible *string) (r Rule, err error) {
	if exact, ok, err := parseExact(text, now); ok || err != nil {
		return exact, err
	}
	words, most, sure := splitWords(text), 0, true
	if found := timesPattern.FindStringSubmatch(strings.Join(words, " ")); found != nil {
		words, sure = strings.Fields(found[1]), found[2] != ""
		most, _ = strconv.Atoi(found[3]) // at most four digits always parse
	}
	p := phrase{words: words, now: now, text: text, order: order, impossible: impossible}
	end := p.cutEnd()
	written := strings.Join(p.words, " ")
	if r, err = p.parseRule(); err != nil {
		return r, err
	}
	if (end != nil || most > 0) && r.Kind == Once {
		return r, unreadable(text)
	}
	if !sure && r.isWithoutTime() {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textTimes, text, fmt.Sprintf("%s for %d times", written,
			most), written+" at 8, 13:00 and 20:00")
	}
	if r.Kind == RRule {
		r.Words = written
	}
	if r.MaxFires = most; end != nil {
		r.Until, err = end.parseUntil()
	}
	return r, err
}

// isWithoutTime reports whether a rule of days has no written time of the day. For such a rule, "3
// times" can also mean three times on each day.
func (r Rule) isWithoutTime() bool {
	return r.NoTime || r.Kind == RRule && !strings.Contains(r.Expression, "BYHOUR")
}

// abbreviations are spellings that splitWords replaces.
var abbreviations = strings.NewReplacer("a.m.", "am", "p.m.", "pm", "a.m", "am", "p.m", "pm",
	"o'clock", "", "o’clock", "", "–", "-", "'", "", "’", "", ",", " , ")

// splitWords returns the words of a text in lower case. A comma is a word.
func splitWords(text string) []string {
	return strings.Fields(abbreviations.Replace(strings.ToLower(text)))
}

// cutEnd cuts "until friday" or "for 3 weeks" off the end; nil means that there is no end.
func (p *phrase) cutEnd() *phrase {
	for i, word := range p.words {
		end := *p
		if end.words = p.words[i+1:]; i == 0 {
			continue
		}
		if word == "until" || word == "till" || word == "til" {
			p.words = p.words[:i]
			return &end
		}
		if length, ok := end.takeLength(); word == "for" && ok && len(end.words) == 0 {
			p.words = p.words[:i]
			end.end = length.after(p.now)
			return &end
		}
	}
	return nil
}

// parseUntil reads the last moment of a rule. A day ends with its last minute.
func (p *phrase) parseUntil() (time.Time, error) {
	if !p.end.IsZero() {
		return p.end, nil
	}
	date, ok, err := p.takeDate()
	if !ok || err != nil {
		return time.Time{}, p.wrong(err)
	}
	zone := p.now.Location()
	if p.take("at", ","); len(p.words) == 0 {
		return Instant(date.midnight.AddDate(0, 0, 1), zone).Add(-time.Second), nil
	}
	at, ok := p.takeClock(true)
	if !ok || len(p.words) > 0 {
		return time.Time{}, p.wrong(nil)
	}
	return Instant(date.midnight.Add(at.sinceMidnight()), zone), nil
}
