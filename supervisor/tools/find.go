package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
)

// Weights of a match, by the position of the word. A whole word of a name counts more than a part
// of it. A word of the description counts least.
const (
	worthName        = 8
	worthFamily      = 6
	worthPart        = 3
	worthDescription = 1
)

// minWord is the minimum length of a word that is searched in descriptions and within other words,
// in characters.
const minWord = 3

// FindTools returns the tools of families that match words, the best match first. It returns at
// most MaxFoundTools tools with MaxFoundBytes in all. The name of a family or a tool finds only
// that family or tool. The name of another assistant's tool finds our tools with the same purpose.
func FindTools(all []protocol.Tool, words string) []protocol.Tool {
	type match struct {
		protocol.Tool
		score int
	}
	var matches []match
	whole, best := strings.ToLower(strings.TrimSpace(words)), 0
	for _, t := range all {
		if t.Family == "" {
			continue
		}
		score := score(t, words)
		if whole == strings.ToLower(t.Name) || whole == strings.ToLower(t.Family) || calledElsewhere(whole, t.Name) {
			score = 100 * worthName
		}
		best = max(best, score)
		matches = append(matches, match{t, score})
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	found := list{most: MaxFoundTools, mostSize: MaxFoundBytes}
	for _, m := range matches {
		if m.score > 0 && 2*m.score >= best { // a match of less than half the best score is accidental
			found.add(m.Tool)
		}
	}
	return found.tools
}

// fields returns the words of a text in lower case. Names are split into words too.
func fields(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func score(t protocol.Tool, text string) (n int) {
	name, family, description := fields(t.Name), fields(t.Family), fields(t.Description)
	for _, word := range names(text) {
		if calledElsewhere(word, t.Name) {
			n += worthName
		}
	}
	for _, word := range fields(text) {
		part := func(of string) bool { // part reports whether one of two words begins with the other
			return len(word) >= minWord && strings.HasPrefix(of, word) || len(of) > minWord && strings.HasPrefix(word, of)
		}
		switch {
		case slices.Contains(name, word):
			n += worthName
		case slices.Contains(family, word):
			n += worthFamily
		case slices.ContainsFunc(slices.Concat(name, family), part):
			n += worthPart
		case len(word) >= minWord && slices.ContainsFunc(description, part):
			n += worthDescription
		}
	}
	return n
}
