package taint

import (
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
)

// Says reports whether a text has at least half of another text's words. Only words of four letters
// or more count. Words with the same beginning are the same, but addresses and numbers must match
// exactly. A text that the user did not say may come from words of others.
func Says(text, asked string) bool {
	for _, field := range strings.Fields(strings.ToLower(asked)) {
		exact := strings.TrimFunc(field, unicode.IsPunct)
		if strings.ContainsAny(exact, "@/.0123456789") && !strings.Contains(strings.ToLower(text), exact) {
			return false
		}
	}
	said, all, there := protocol.NormalizedWords(text), 0, 0
	for _, word := range protocol.NormalizedWords(asked) {
		if len([]rune(word)) < minWordRunes {
			continue
		}
		if all++; hasWord(said, word) {
			there++
		}
	}
	return all > 0 && 2*there >= all
}

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
	begins := string(runes[:max(minWordRunes, len(runes)-2)])
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, begins) })
}
