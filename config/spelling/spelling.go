// Package spelling finds what somebody meant by a word that is not quite one of those there are.
package spelling

import "strings"

// Nearest is the name that was probably meant by a word, "" where none is near.
func Nearest(word string, names []string) string {
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
		return len(a) + len(b) // too far to be a slip
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
