package spelling

import (
	"slices"
	"strings"
)

// CompleteName returns the word if it is a name. Otherwise it returns the only name that begins
// with the word, or "".
func CompleteName(word string, names []string) string {
	if slices.Contains(names, word) {
		return word
	}
	if found := completions(word, names); len(found) == 1 {
		return found[0]
	}
	return ""
}

// NearNames returns the names that begin with a word, or else the nearest name.
func NearNames(word string, names []string) []string {
	if found := completions(word, names); found != nil {
		return found
	}
	if nearest := NearestName(word, names); nearest != "" {
		return []string{nearest}
	}
	return nil
}

// completions returns the names that begin with a word, each once.
func completions(word string, names []string) (found []string) {
	for _, name := range names {
		if word != "" && strings.HasPrefix(name, word) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
