package supervisor

import (
	"strconv"
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

// EscapeControls writes what a terminal would obey, or would not show, as Go does.
func EscapeControls(text string) string {
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
