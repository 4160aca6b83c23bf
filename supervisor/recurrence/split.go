package recurrence

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	maxTimeWords  = 12 // maximum number of words of a time before or after a text
	maxClockWords = 6  // maximum number of words of a time of the day
)

var (
	// colonPattern splits WHEN and TEXT at the first colon before a space or a new line.
	colonPattern = regexp.MustCompile(`(?s)^\s*(\S.*?):\s+(\S.*)$`)
	// orderPattern matches the beginning of an order: "to call Ann".
	orderPattern = regexp.MustCompile(`(?i)^(?:(?:to|that)\s+)?`)
	mePattern    = regexp.MustCompile(`(?i)^me\s+`)
	fieldPattern = regexp.MustCompile(`[^\s\x{85}\p{Z}]+`)
	// dayWordPattern matches words that mean a day. Other words for days, such as "sun" and
	// "weekly", may be a part of the text.
	dayWordPattern = regexp.MustCompile(`(?i)^(today|tonight|tomorrow|tmrw|tmr|weekdays|\w{3,6}days?)$`)
	// vaguePattern matches words that are a time only after "at".
	vaguePattern = regexp.MustCompile(`^\d{1,2}([/.]\d{1,2})?$`)
	// clockPattern matches words that are a time of the day even without "at": 16:30, 4pm.
	clockPattern = regexp.MustCompile(`(?i)^(\d{1,2}:\d{2}|\d{1,2}(:\d{2})?[ap]m)$`)
)

// timeBegins are words that begin a time after a text.
var timeBegins = map[string]bool{"at": true, "@": true, "in": true, "on": true, "every": true, "each": true,
	"next": true, "this": true, "daily": true, "hourly": true, "weekly": true, "monthly": true, "yearly": true}

var (
	atWords = map[string]bool{"at": true, "@": true}
	// leadWords are words that may begin one more date or time of the day after a time.
	leadWords = map[string]bool{"at": true, "@": true, "in": true, "on": true, "every": true, "each": true,
		"next": true, "this": true, "the": true}
	// continuations are words that only follow the beginning of a time.
	continuations = map[string]bool{"am": true, "pm": true, "a.m.": true, "p.m.": true, "a.m": true, "p.m": true,
		"o'clock": true, "uhr": true, "every": true, "each": true, "until": true, "till": true, "til": true}
	// cutWords are words after which a time must go on, such as "every" and "half".
	cutWords = map[string]bool{"every": true, "each": true, "next": true, "this": true, "and": true, "&": true,
		"or": true, "on": true, "half": true, "past": true, "quarter": true}
	// boundWords are words before a time that make no text by themselves.
	boundWords = map[string]bool{"by": true, "before": true, "after": true, "from": true, "since": true, "around": true,
		"until": true, "till": true, "til": true}
)

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
// a colon, when may be unreadable. ok is false if there is neither a colon nor a time. It is also
// false for a time alone, and for a half-readable time.
func SplitTimeAndText(words string, now time.Time, order DateOrder) (when, text string, ok bool) {
	if when, text, ok = SplitAtColon(words); ok {
		return mePattern.ReplaceAllString(when, ""), text, true
	}
	return newSplitter(words, now, order).split()
}

// IsTimeAlone reports whether words are a time without a text. A "me" may come before the time.
func IsTimeAlone(words string, now time.Time, order DateOrder) bool {
	s := newSplitter(words, now, order)
	return s.reads(s.fields)
}

// splitter splits words that contain a time and a text.
type splitter struct {
	words   string
	fields  []string
	offsets [][]int // the offsets of each field in words
	parse   func([]string) (Rule, error)
}

func newSplitter(words string, now time.Time, order DateOrder) splitter {
	s := splitter{words: words, fields: strings.Fields(words), offsets: fieldPattern.FindAllStringIndex(words, -1)}
	if len(s.fields) != len(s.offsets) {
		s.fields = nil // Fields and the pattern disagree about a space
	}
	if len(s.fields) > 0 && strings.EqualFold(s.fields[0], "me") {
		s.fields, s.offsets = s.fields[1:], s.offsets[1:]
	}
	s.parse = func(words []string) (Rule, error) { return parse(timeText(words), now, order) }
	return s
}

// timeText joins the words of a time, without a comma at its end.
func timeText(words []string) string { return strings.TrimSuffix(strings.Join(words, " "), ",") }

// reads reports whether words are a time, even a past or an ambiguous time.
func (s splitter) reads(words []string) bool {
	_, err := s.parse(words)
	return !errors.Is(err, ErrUnreadableTime)
}

// between returns the words from one field to another, without "to" before an order.
func (s splitter) between(from, to int) string {
	return orderPattern.ReplaceAllString(s.words[s.offsets[from][0]:s.offsets[to-1][1]], "")
}

// split takes the longest time off the beginning of the words, or else off their end.
func (s splitter) split() (when, text string, ok bool) {
	all := len(s.fields)
	if s.reads(s.fields) {
		return "", "", false
	}
	for n := min(all-1, maxTimeWords); n > 0; n-- {
		if n > 1 && s.reads(s.fields[:n]) || n == 1 && isLone(s.fields[0]) && s.reads(s.fields[:1]) {
			if s.continues(s.fields[n:]) {
				return "", "", false
			}
			when, text = s.complete(s.fields[:n], n, all)
			return when, text, true
		}
	}
	for m := max(1, all-maxTimeWords); m < all; m++ {
		if begins(s.fields[m]) && s.reads(s.fields[m:]) {
			if s.isCut(s.fields[:m]) {
				return "", "", false
			}
			when, text = s.complete(s.fields[m:], 0, m)
			return when, text, true
		}
	}
	return "", "", false
}

// complete adds the first time of the day in a text to words that name only a day, as in "tomorrow
// call Ann at 9". The text begins with the field from and ends before the field to. A time of the
// day at the end of the text is cut off.
func (s splitter) complete(time []string, from, to int) (when, text string) {
	r, err := s.parse(time)
	timed := err == nil && r.Kind != Once && !r.NoTime
	for m := from; m < to && !timed; m++ {
		if at := s.fields[m]; !strings.EqualFold(at, "at") && at != "@" && !clockPattern.MatchString(at) {
			continue
		}
		for end := min(to, m+maxClockWords); end > m; end-- {
			both := slices.Concat(time, s.fields[m:end])
			if m == from && end == to || !s.reads(both) {
				continue
			}
			if end == to {
				to = m
			}
			return timeText(both), s.between(from, to)
		}
	}
	return timeText(time), s.between(from, to)
}

// continues reports whether a text begins with words that belong to the time before it, but that
// can't be read together with that time: "at 25", "and thursday at 7", "until firday".
func (s splitter) continues(text []string) bool {
	first, next := strings.ToLower(text[0]), ""
	if len(text) > 1 {
		next = strings.ToLower(text[1])
	}
	switch {
	case continuations[first], atWords[first] && isNumber(next):
		return true
	case first == "for":
		length := phrase{words: splitWords(strings.Join(text[1:min(len(text), 3)], " "))}
		_, ok := length.takeLength()
		return ok
	case first == "and" || first == "&":
		text = text[1:]
	}
	for n := min(len(text), maxTimeWords); n > 0; n-- {
		if begins := leadWords[strings.ToLower(text[0])] || isLone(text[0]); begins && s.reads(text[:n]) {
			return true
		}
	}
	return false
}

// isCut reports whether a text ends with words that belong to the time after it, but that can't be
// read together with that time: "every", "on monday and", "at 25", "by".
func (s splitter) isCut(text []string) bool {
	last, before := strings.ToLower(text[len(text)-1]), ""
	if len(text) > 1 {
		before = strings.ToLower(text[len(text)-2])
	}
	return cutWords[last] || len(text) == 1 && boundWords[last] || atWords[before] && isNumber(last)
}

// isNumber reports whether a word is a number, or begins with one.
func isNumber(word string) bool {
	return numberWords[word] > 0 || startsWithDigit(word)
}

func startsWithDigit(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// isLone reports whether a single word that is a time may stand before a text.
func isLone(word string) bool {
	word = strings.TrimSuffix(word, ",")
	return dayWordPattern.MatchString(word) || startsWithDigit(word) && !vaguePattern.MatchString(word)
}

// begins reports whether a word begins a time after a text.
func begins(word string) bool {
	return timeBegins[strings.ToLower(word)] || dayWordPattern.MatchString(word)
}
