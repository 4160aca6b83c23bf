package markdown

import (
	"strings"
	"unicode"
)

const maxQuotedName = 120

// EscapeName returns a foreign name as Markdown that shows it unchanged on one line.
func EscapeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '`' || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxQuotedName {
		name = string(runes[:maxQuotedName]) + "…"
	}
	if name == "" {
		return "(without a name)"
	}
	return "`" + name + "`"
}
