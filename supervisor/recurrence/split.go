package recurrence

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxTimeWords is the maximum number of words of a time before or after a text.
const maxTimeWords = 12

var (
	// colonPattern splits WHEN and TEXT at the first colon before a space or a new line.
	colonPattern = regexp.MustCompile(`(?s)^\s*(\S.*?):\s+(\S.*)$`)
	// orderPattern matches the beginning of an order: "to call Ann".
	orderPattern = regexp.MustCompile(`(?i)^(?:(?:to|that)\s+)?`)
	fieldPattern = regexp.MustCompile(`[^\s\x{85}\p{Z}]+`)
	// dayWordPattern matches words that mean a day. Other words for days, such as "sun" and
	// "weekly", may be a part of the text.
	dayWordPattern = regexp.MustCompile(`(?i)^(today|tonight|tomorrow|tmrw|tmr|weekdays|\w{3,6}days?)$`)
	// vaguePattern matches words that are a time only after "at".
	vaguePattern = regexp.MustCompile(`^\d{1,2}([/.]\d{1,2})?$`)
)

// timeBegins are words that begin a time after a text.
var timeBegins = map[string]bool{"at": true, "@": true, "in": true, "on": true, "every": true, "each": true,
	"next": true, "this": true, "daily": true, "hourly": true, "weekly": true, "monthly": true, "yearly": true}

// SplitAtColon splits "WHEN: TEXT".
func SplitAtColon(words string) (when, text string, ok bool) {
	found := colonPattern.FindStringSubmatch(words)
	if found == nil {
		return "", "", false
	}
	when, text = strings.TrimSpace(found[1]), strings.TrimSpace(found[2])
	return when, text, when != "" && text != "" // TrimSpace knows more kinds of spaces than the pattern
}

// SplitTimeAndText splits "WHEN: TEXT", or words with a time at their beginning or end. If there is
// a colon, when may be unreadable. ok is false if there is neither a colon nor a time.
func SplitTimeAndText(words string, now time.Time, order DateOrder) (when, text string, ok bool) {
	reads := func(words []string) bool {
		_, err := parse(strings.Join(words, " "), now, order)
		return !errors.Is(err, ErrUnreadable)
	}
	if when, text, ok = SplitAtColon(words); ok {
		return when, text, true
	}
	return splitBare(words, reads)
}

// splitBare takes the longest time off the beginning of words, or else off their end. A time "at 9"
// at the end completes a date at the beginning.
func splitBare(words string, reads func([]string) bool) (when, text string, ok bool) {
	fields, places := strings.Fields(words), fieldPattern.FindAllStringIndex(words, -1)
	if len(fields) != len(places) {
		return "", "", false // Fields and the pattern disagree about a space
	}
	if len(fields) > 0 && strings.EqualFold(fields[0], "me") {
		fields, places = fields[1:], places[1:]
	}
	between := func(from, to int) string {
		return orderPattern.ReplaceAllString(words[places[from][0]:places[to-1][1]], "")
	}
	all := len(fields)
	for n := min(all-1, maxTimeWords); n > 0; n-- {
		if n == 1 && !isLone(fields[0]) || !reads(fields[:n]) {
			continue
		}
		for m := max(n+1, all-maxTimeWords); m < all; m++ {
			both := slices.Concat(fields[:n], fields[m:])
			if strings.EqualFold(fields[m], "at") && reads(both) {
				return strings.Join(both, " "), between(n, m), true
			}
		}
		return strings.Join(fields[:n], " "), between(n, all), true
	}
	for m := max(1, all-maxTimeWords); m < all; m++ {
		if begins(fields[m]) && reads(fields[m:]) {
			return strings.Join(fields[m:], " "), between(0, m), true
		}
	}
	return "", "", false
}

// isLone reports whether a single word that is a time may stand before a text.
func isLone(word string) bool {
	number := word[0] >= '0' && word[0] <= '9'
	return dayWordPattern.MatchString(word) || number && !vaguePattern.MatchString(word)
}

// begins reports whether a word begins a time after a text.
func begins(word string) bool {
	return timeBegins[strings.ToLower(word)] || dayWordPattern.MatchString(word)
}
