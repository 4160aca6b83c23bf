// Package spelling finds the names that a mistyped or shortened word stands for.
package spelling

import "strings"

// NearestName returns the name that differs from a word by the fewest typing errors. If no name is
// near, it returns "".
func NearestName(word string, names []string) string {
	best, least := "", 3 // a name with up to two errors is near; with three errors it is another word
	for _, name := range names {
		if d := distance(strings.ToLower(word), name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance returns how many letters must be added, removed or replaced to turn a into b
// (Levenshtein).
func distance(a, b string) int {
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return len(a) + len(b) // the lengths differ by too much for a typing error
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
