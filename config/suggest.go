package config

import "strings"

// nearest is the one of names that word was most probably meant to be, "" where none is near.
func nearest(word string, names []string) string {
	best, least := "", 3 // two slips of the finger are near, three are another word
	for _, name := range names {
		if d := distance(strings.ToLower(word), name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters must be put in, taken out or replaced to make b of a (Levenshtein).
func distance(a, b string) int {
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return len(a) + len(b) // too far for anybody to ask how far
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// oneOf reads names aloud: "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
