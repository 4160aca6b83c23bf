package claim

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Deed is a successful call of a tool.
type Deed struct {
	Tool    string // "" means an attachment, as the constant Attachment
	Earlier bool   // the call was in an earlier turn
	Row     string // arguments, result and effects of the call
	Result  string // the first words of the result
	Changed bool   // a program of the call changed files
	Sent    bool   // files of the call were sent, and the channel has not refused them
}

// explainedBy reports whether a claim may be about an earlier deed, which row describes. Each
// sentence of the claim with names or times must share a name or a time with row. At least one
// sentence must have a name or a time.
func (c Claim) explainedBy(row string) bool {
	var known map[string]bool
	found := false
	for _, s := range append([]string{c.Sentence}, c.more...) {
		names, times := namesIn(s), timesIn(s)
		if len(names)+len(times) == 0 {
			continue
		}
		if known == nil {
			known, row = map[string]bool{}, strings.ToLower(row)
			for _, t := range timesIn(row) {
				known[t] = true
			}
		}
		if !slices.ContainsFunc(names, func(name string) bool { return holdsName(row, name) }) &&
			!slices.ContainsFunc(times, func(t string) bool { return known[t] }) {
			return false
		}
		found = true
	}
	return found
}

// spans matches code and quotations.
var spans = regexp.MustCompile("`([^`]+)`|[\"“„«]([^\"”“»]+)[\"”“»]")

// namesIn lists the paths, addresses, quotations and proper names of a sentence, in lower case.
func namesIn(sentence string) (names []string) {
	for _, m := range spans.FindAllStringSubmatch(sentence, -1) {
		names = append(names, strings.ToLower(strings.TrimSpace(m[1]+m[2])))
	}
	words := strings.FieldsFunc(spans.ReplaceAllString(sentence, " "), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;!?…()[]–—*’'", r)
	})
	for i, w := range words {
		w = strings.Trim(w, ".:")
		first, _ := utf8.DecodeRuneInString(w)
		low := strings.ToLower(w)
		isProper := i > 0 && unicode.IsUpper(first) && utf8.RuneCountInString(w) > 1 && lexicon()[low] == nil &&
			dayWords[low] == ""
		if isName(w, false) || isProper {
			names = append(names, low)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// filesIn lists the files that a sentence names, in lower case and without their folders.
func filesIn(sentence string) (files []string) {
	for _, word := range strings.FieldsFunc(sentence, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`,;!?…()[]*'’\"“”„«»", r)
	}) {
		if word = strings.TrimRight(word, ".:"); isName(word, false) {
			files = append(files, strings.ToLower(path.Base(word)))
		}
	}
	return files
}

// holdsName reports whether a text contains a name as a whole, not as a part of a longer name. Text
// and name are in lower case.
func holdsName(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joins(before) && !joins(after) {
			return true
		}
		at = begin + 1
	}
}

// joins reports whether a character next to a name belongs to a longer name.
func joins(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_')
}

// Patterns of times in a text. A bare number counts as a time only after a word such as "at".
var (
	clockTime = regexp.MustCompile(`(?i)(?:^|[^\d.:-])(\d{1,2})[:.](\d{2})(?:$|[^\d.])\s*(am|pm)?` +
		`|\b(\d{1,2})\s?(am|pm|uhr|h)\b|(?:\bat|\bum|\blas|\bà|à)\s(\d{1,2})(?:\.?$|\.\s|[^\d.:%])`)
	stampTime = regexp.MustCompile(`(?i)\bt(\d{2}):(\d{2})`)
	spanTime  = regexp.MustCompile(`(?i)(\d+)\s?(min|hour|hr|stund|std|hora|heure|day|tag|día|jour|week|woche` +
		`|semana|semaine)`)
	dateTime = regexp.MustCompile(`(?i)(\d{1,2})(?:st|nd|rd|th)?\.?\s(?:of\s|de\s)?([a-zäéû]{3,})` +
		`|([a-z]{3,})\s(\d{1,2})\b|\d{4}-(\d{2})-(\d{2})`)
	dayWord = regexp.MustCompile(`[\p{L}]+`)
)

// timesIn lists the times, dates, days and spans of a text in one form for all languages. Times
// before and after noon look the same: 4:00 and 16:00 are "4:00".
func timesIn(text string) (times []string) {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // the patterns allow only digits
	for _, m := range clockTime.FindAllStringSubmatch(text, -1) {
		hour := m[1] + m[4] + m[6]
		if n := number(hour); n < 25 && number(m[2]) < 60 {
			times = append(times, fmt.Sprintf("%d:%02d", n%12, number(m[2])))
		}
	}
	for _, m := range stampTime.FindAllStringSubmatch(text, -1) {
		times = append(times, fmt.Sprintf("%d:%02d", number(m[1])%12, number(m[2])))
	}
	for _, m := range spanTime.FindAllStringSubmatch(text, -1) {
		times = append(times, fmt.Sprint(number(m[1]), " ", spanUnits[strings.ToLower(m[2])]))
	}
	for _, m := range dateTime.FindAllStringSubmatch(text, -1) {
		day, month := m[1]+m[4]+m[6], number(m[5])
		if name := strings.ToLower(m[2] + m[3]); month == 0 && len(name) >= 3 {
			month = monthsByName[clipName(name)]
		}
		if month > 0 {
			times = append(times, fmt.Sprintf("%d/%d", number(day), month))
		}
	}
	for _, w := range dayWord.FindAllString(strings.ToLower(text), -1) {
		if day := dayWords[w]; day != "" {
			times = append(times, day)
		}
	}
	return times
}

// clipName returns the beginning of a month's name that distinguishes the month.
func clipName(name string) string {
	runes := []rune(name)
	return string(runes[:min(len(runes), 4)])
}
