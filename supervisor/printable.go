package supervisor

import (
	"strings"
	"unicode"
)

// Printable is what others named, without what could move a terminal's cursor.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
