// Package printable makes the words of others fit to be shown on a terminal and on one line of it.
package printable

import (
	"strconv"
	"strings"
	"unicode"
)

// Text drops from a text what is not printed, such as what moves a terminal's cursor.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// Escape writes what a terminal would obey, or would not show, as Go does.
func Escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
