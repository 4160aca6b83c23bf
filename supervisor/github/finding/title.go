package finding

import (
	"slices"
	"strings"
	"unicode"
)

// fillers are words that say nothing about the subject of a title.
var fillers = strings.Fields("a an and are as at be been being by can cannot could do does for from " +
	"has have here if in into is it its may might of on or should so than that the their then there these this to " +
	"was were when where which while will with without would")

// endings are endings of English words that a rewording changes.
var endings = []string{"ing", "ies", "ed", "es", "s", "y", "e"}

// titleWords returns the words of a title: sorted, in lower case, each once, without endings and
// fillers.
func titleWords(title string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(strings.ToLower(VisibleCode(title)),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains(fillers, word) {
			continue
		}
		for _, ending := range endings {
			if stem, cut := strings.CutSuffix(word, ending); cut && len(stem) >= 3 {
				word = stem
				break
			}
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// isSameTitle reports whether two titles share at least half of all their words. Titles without
// words must be equal.
func isSameTitle(a, b string) bool {
	of, other := titleWords(a), titleWords(b)
	if len(of) == 0 || len(other) == 0 {
		return squeezed(a) == squeezed(b)
	}
	shared := 0
	for _, word := range of {
		if _, found := slices.BinarySearch(other, word); found {
			shared++
		}
	}
	return 2*shared >= len(of)+len(other)-shared
}
