package taint

import (
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
)

// Says reports whether a text has at least half of another text's words of four letters or more. Words
// with the same beginning count too, but addresses and numbers must match exactly. The check
// matters if the model has read other people's words: a fact that the user did not say may come
// from those words.
func Says(text, asked string) bool {
	for _, field := range strings.Fields(strings.ToLower(asked)) {
		exact := strings.TrimFunc(field, unicode.IsPunct)
		if strings.ContainsAny(exact, "@/.0123456789") && !strings.Contains(strings.ToLower(text), exact) {
			return false
		}
	}
	said, all, there := protocol.NormalizedWords(text), 0, 0
	for _, word := range protocol.NormalizedWords(asked) {
		begins := []rune(word)
		if len(begins) < 4 {
			continue
		}
		all++
		if slices.ContainsFunc(said, func(w string) bool { return strings.HasPrefix(w, string(begins[:max(4, len(begins)-2)])) }) {
			there++
		}
	}
	return all > 0 && 2*there >= all
}

// Mentions reports whether a text has one of another text's words of four letters or more.
func Mentions(text, other string) bool {
	said := protocol.NormalizedWords(text)
	return slices.ContainsFunc(protocol.NormalizedWords(other), func(word string) bool {
		begins := []rune(word)
		return len(begins) >= 4 && slices.ContainsFunc(said, func(w string) bool {
			return strings.HasPrefix(w, string(begins[:max(4, len(begins)-2)]))
		})
	})
}
