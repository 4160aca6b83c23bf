package recurrence

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// maxLate is how far in the past a time may be, because writing it took a while.
const maxLate = time.Minute

// minPeriod is the shortest period of a rule.
const minPeriod = time.Minute

// Parse reads words for due times, as a person or a model writes them. It must understand the whole
// text. now is in the user's zone. The rule is due at least once. An error is for the author: it
// names the part that was not understood, is past, or could mean two things.
func Parse(text string, now time.Time) (r Rule, err error) {
	text = strings.Join(strings.Fields(text), " ")
	if r, err = parseWhole(text, now); err != nil {
		return Rule{}, err
	}
	if r.Kind == Interval && r.Every < minPeriod {
		return Rule{}, supervisor.Errorf(supervisor.CodeInvalid, textPeriod, text)
	}
	from := now
	if r.Kind == Once {
		from = now.Add(-maxLate)
	}
	_, found, err := r.Next(from, now.Location())
	switch {
	case err != nil:
		return Rule{}, err
	case !found && r.Kind == Once:
		return Rule{}, supervisor.Errorf(supervisor.CodeInvalid, textPast, r.At.Format(dayAndTime+" MST"))
	case !found:
		return Rule{}, supervisor.Errorf(supervisor.CodeInvalid, textNever, text)
	}
	return r, nil
}

var timesPattern = regexp.MustCompile(`^(.+) ([1-9]\d{0,3}) times$`)

// parseWhole reads a rule and its end, such as "until friday".
func parseWhole(text string, now time.Time) (r Rule, err error) {
	if exact, ok := parseExact(text, now); ok {
		return exact, nil
	}
	words, most := strings.ToLower(strings.ReplaceAll(text, ",", " , ")), 0
	words = strings.Join(strings.Fields(words), " ")
	if found := timesPattern.FindStringSubmatch(words); found != nil {
		words = found[1]
		most, _ = strconv.Atoi(found[2]) // the pattern allows at most four digits
	}
	words, end, ends := strings.Cut(words, " until ")
	p := phrase{words: strings.Fields(words), now: now, text: text}
	if r, err = p.parseRule(); err != nil {
		return r, err
	}
	if (ends || most > 0) && r.Kind == Once {
		return r, unreadable(text)
	}
	if r.Kind == RRule {
		r.Words = words
	}
	if r.MaxFires = most; ends {
		r.Until, err = parseUntil(end, p)
	}
	return r, err
}

// parseUntil reads the last moment of a rule. If it is a day, the moment is the day's last minute.
func parseUntil(text string, p phrase) (time.Time, error) {
	p.words = strings.Fields(text)
	date, ok := p.parseDate()
	if !ok {
		return time.Time{}, unreadable(p.text)
	}
	if len(p.words) == 0 {
		return instant(date.AddDate(0, 0, 1), p.now.Location()).Add(-time.Second), nil
	}
	at, err := p.parseTimeOfDay()
	if err == nil && len(p.words) > 0 {
		err = unreadable(p.text)
	}
	return instant(date.Add(time.Duration(at)*time.Minute), p.now.Location()), err
}

// parseExact reads formats of machines: RFC 3339, a date with a time, cron, RRULE.
func parseExact(text string, now time.Time) (Rule, bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return Rule{Kind: Once, At: at.In(now.Location())}, true
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if wall, err := time.Parse(layout, text); err == nil {
			return Rule{Kind: Once, At: instant(wall, now.Location()), Wall: true}, true
		}
	}
	if upper := strings.ToUpper(text); strings.HasPrefix(upper, "RRULE:") || strings.HasPrefix(upper, "FREQ=") {
		if _, err := checkRRule(upper); err == nil {
			return Rule{Kind: RRule, At: now.Truncate(time.Minute), Expression: upper}, true
		}
	}
	if checkCron(text) == nil {
		return Rule{Kind: Cron, Expression: text}, true
	}
	return Rule{}, false
}
