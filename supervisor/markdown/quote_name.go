package markdown

import (
	"strings"
	"unicode"

	"mews/protocol"
)

const maxQuotedName = 120

// EscapeSentence returns a foreign sentence as Markdown. A sentence of plain words stays as it is.
// Any other is shown as code, without control characters.
func EscapeSentence(text string) string {
	if text == protocol.PlainReason(text) {
		return text
	}
	if text = dropMarks(text); text == "" {
		return ""
	}
	return "`" + text + "`"
}

// dropMarks drops what ends code or moves a terminal's cursor.
func dropMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '`' || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// EscapeName returns a foreign name as Markdown that shows it unchanged on one line.
func EscapeName(name string) string {
	name = dropMarks(name)
	if runes := []rune(name); len(runes) > maxQuotedName {
		name = string(runes[:maxQuotedName]) + "…"
	}
	if name == "" {
		return "(without a name)"
	}
	return "`" + name + "`"
}
