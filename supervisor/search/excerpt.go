package search

import (
	"regexp"
	"strings"
	"unicode"

	"mews/supervisor/printable"
)

// fence matches the beginning or end of code in Markdown.
var fence = regexp.MustCompile("(?m)^[ >]*(```+|~~~+)[^`\n]*$|```+")

// excerpt returns a part of a text on one line; most is the maximum of characters. It starts near
// the first match of words, and drops code fences.
func excerpt(text, words string, most int) string {
	runes := []rune(printable.DropControls(strings.Join(strings.Fields(fence.ReplaceAllString(text, "")), " ")))
	if len(runes) <= most {
		return string(runes)
	}
	from := max(0, min(matchIndex(runes, words)-most/4, len(runes)-most))
	cut := string(runes[from : from+most])
	if from > 0 {
		cut = "…" + cut
	}
	if from+most < len(runes) {
		cut += "…"
	}
	return cut
}

// maxExcerptWords is how many words excerpt looks for, the same number as in the index.
const maxExcerptWords = 32

// matchIndex returns the index of the first word in text that begins like one of words, or 0.
func matchIndex(text []rune, words string) int {
	var begins []string
	for _, word := range strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(begins) == maxExcerptWords {
			break
		}
		begin := []rune(word)
		begins = append(begins, string(begin[:max(min(len(begin), 4), len(begin)-3)]))
	}
	lower := make([]rune, len(text))
	for i, r := range text {
		lower[i] = unicode.ToLower(r)
	}
	for i := range lower {
		if i > 0 && (unicode.IsLetter(lower[i-1]) || unicode.IsDigit(lower[i-1])) {
			continue
		}
		for _, begin := range begins {
			if strings.HasPrefix(string(lower[i:min(len(lower), i+len(begin))]), begin) {
				return i
			}
		}
	}
	return 0
}
