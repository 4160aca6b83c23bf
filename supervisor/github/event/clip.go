package event

import (
	"strings"
	"unicode"
)

// clip returns the beginning of a text, without control characters except line ends and tabs. most
// is the maximum of bytes.
func clip(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			continue
		}
		if b.Len()+len(string(r)) > most {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
