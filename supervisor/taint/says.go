package taint

import (
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
)

// Says reports whether a text has all of another text's words. Words of one or two letters and
// fillers do not count. Words with the same beginning are the same, but addresses and numbers must
// match exactly. A text that the user did not say may come from words of others.
func Says(text, asked string) bool {
	there, all := countSaid(text, asked, minSaidRunes)
	_, long := countSaid(text, asked, minWordRunes)
	return long > 0 && there == all
}

// SaysHalf reports whether a text has half of another text's words of four letters or more.
func SaysHalf(text, asked string) bool {
	there, all := countSaid(text, asked, minWordRunes)
	return all > 0 && 2*there >= all
}

// countSaid counts the words of asked with a minimum length, and those that a text has. It finds none
// in a text that lacks an address or number.
func countSaid(text, asked string, shortest int) (there, all int) {
	said, exact := protocol.NormalizedWords(text), hasExact(text, asked)
	for _, word := range protocol.NormalizedWords(asked) {
		if len([]rune(word)) < shortest || slices.Contains(fillers, word) {
			continue
		}
		if all++; exact && hasWord(said, word) {
			there++
		}
	}
	return there, all
}

// hasExact reports whether a text has the addresses and numbers of another text.
func hasExact(text, asked string) bool {
	for _, field := range strings.Fields(strings.ToLower(asked)) {
		exact := strings.TrimFunc(field, unicode.IsPunct)
		if strings.ContainsAny(exact, "@/.0123456789") && !strings.Contains(strings.ToLower(text), exact) {
			return false
		}
	}
	return true
}

// minSaidRunes is the length from which Says wants a word.
const minSaidRunes = 3

// fillers are words that a model adds when it repeats what somebody said.
var fillers = []string{"the", "and", "has", "had", "have", "was", "are", "you", "your"}

// Mentions reports whether a text has one of another text's words of four letters or more.
func Mentions(text, other string) bool {
	said := protocol.NormalizedWords(text)
	return slices.ContainsFunc(protocol.NormalizedWords(other), func(word string) bool {
		return len([]rune(word)) >= minWordRunes && hasWord(said, word)
	})
}

// minWordRunes is the length from which a word counts.
const minWordRunes = 4

// hasWord reports whether words have one with the beginning of word.
func hasWord(words []string, word string) bool {
	runes := []rune(word)
	if len(runes) < minWordRunes {
		return slices.Contains(words, word)
	}
	begins := string(runes[:max(minWordRunes, len(runes)-2)])
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, begins) })
}
