package event

import (
	"strings"
	"unicode"
)

// clip is the beginning of a text, of at most so many bytes. It has no control characters but ends
// of lines and tabs.
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
