package spelling

import (
	"slices"
	"strings"
)

// Complete returns the name that a word is, or the only one that begins with it; "" if there is
// none.
func Complete(word string, names []string) string {
	var found []string
	for _, name := range names {
		if name == word {
			return name
		}
		if word != "" && strings.HasPrefix(name, word) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}
