package offline

import (
	"regexp"
	"strings"
)

// endsInList reports whether a text may end with the name of a list, which is LIST in patterns.
func endsInList(text string) bool {
	const word = "list"
	return len(text) > len(word) && strings.EqualFold(text[len(text)-len(word):], word)
}

// listFile returns the file of a list, by the words before "list".
func listFile(name string) string {
	words := append(strings.Fields(strings.ToLower(name)), "list")
	return strings.Join(words, "-") + ".md"
}

// betweenItems matches the text between the items of a list.
var betweenItems = regexp.MustCompile(`\s*,\s*(?:and\s+)?|\s*\n\s*`)

// listLines returns a line for each item. "and" separates the last item if commas separate the
// others.
func listLines(text string) string {
	items := betweenItems.Split(strings.TrimSpace(text), -1)
	if last := len(items) - 1; last > 0 {
		if one, other, two := strings.Cut(items[last], " and "); two {
			items = append(items[:last], one, other)
		}
	}
	var lines strings.Builder
	for _, item := range items {
		if item != "" {
			lines.WriteString("- " + item + "\n")
		}
	}
	return lines.String()
}
