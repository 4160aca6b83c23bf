// Package printable makes texts of unknown origin safe to show on one line of a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode"
)

// DropControls drops control characters, such as those that move a terminal's cursor.
func DropControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// EscapeControls replaces control and invisible characters by Go's escapes, such as \x1b.
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
