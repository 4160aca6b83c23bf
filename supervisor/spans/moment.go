package spans

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// MaxMomentWords is the maximum number of words in a moment.
const MaxMomentWords = 3

var (
	clockPattern = regexp.MustCompile(`^([01]?\d|2[0-3])[:.]([0-5]\d)$`)
	agoPattern   = regexp.MustCompile(`^(\d{1,4}) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?) ago$`)
)

// ParseMoment parses a moment of the past, such as "yesterday 9:00" or 2h. A minute, a day, a month
// or a year stands for its end, because times are shown to the minute. If that has not ended, it
// stands for now. The argument now is in the user's time zone. The error is a text for the author
// of the moment.
func ParseMoment(text string, now time.Time) (at time.Time, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	at, ok := parseMoment(text, now)
	switch {
	case !ok:
		return at, supervisor.Errorf(supervisor.CodeInvalid, textNoMoment, text)
	case at.Truncate(time.Minute).After(now):
		return at, supervisor.Errorf(supervisor.CodeInvalid, textFuture, at.Format(timeLayout))
	case at.After(now):
		return now, nil
	}
	return at, nil
}

// lastInMinute is the time from the beginning of a minute to its last moment.
const lastInMinute = time.Minute - time.Nanosecond

func parseMoment(text string, now time.Time) (at time.Time, ok bool) {
	if at, ok := parseAgo(text, now); ok {
		return at, true
	}
	if at, ok := parseClock(text, now); ok {
		return at, true
	}
	if strings.Contains(text, "..") {
		return at, false
	}
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(text)); err == nil {
		return at, true
	}
	s, err := Parse(text, now)
	isLength := lengthPattern.MatchString(text) && !periodPattern.MatchString(text)
	switch {
	case err != nil:
		return at, false
	case isLength, s.From.After(now):
		return s.From, true
	case s.To.Sub(s.From) <= time.Minute:
		return s.From.Add(lastInMinute), true
	case s.To.After(now):
		return now, true
	}
	return s.To, true
}

// parseAgo parses a length of time before now, such as "3 days ago".
func parseAgo(text string, now time.Time) (at time.Time, ok bool) {
	found := agoPattern.FindStringSubmatch(text)
	if found == nil {
		return at, false
	}
	n, _ := strconv.Atoi(found[1]) // no error is possible, because there are at most four digits
	switch found[2][0] {
	case 'm':
		return now.Add(-time.Duration(n) * time.Minute), true
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), true
	case 'w':
		n *= 7
	}
	return now.AddDate(0, 0, -n), true
}

// parseClock parses a time of the day, after a day or alone. Alone it is today's.
func parseClock(text string, now time.Time) (at time.Time, ok bool) {
	i := strings.LastIndexByte(text, ' ')
	found := clockPattern.FindStringSubmatch(text[i+1:])
	if found == nil {
		return at, false
	}
	day := days(now, 0, 1)
	if i > 0 {
		var err error
		if day, err = Parse(text[:i], now); err != nil || !day.From.AddDate(0, 0, 1).Equal(day.To) {
			return at, false
		}
	}
	hour, _ := strconv.Atoi(found[1]) // the pattern has only digits
	minute, _ := strconv.Atoi(found[2])
	y, m, d := day.From.Date()
	return time.Date(y, m, d, hour, minute, 0, 0, now.Location()).Add(lastInMinute), true
}
