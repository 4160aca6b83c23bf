package diff

import (
	"strings"
)

// FindQuote finds the lines of a text that match a quote. If several ranges match, it takes the
// range nearest to the line near. The result start is 0 for a single line. ok is false if the quote
// is not in the text.
func FindQuote(text, quote string, near int) (start, line int, ok bool) {
	whole := textHunk(text)
	at := Position{Side: RightSide, Line: min(max(near, 1), whole.NewLines)}
	found, fit := FindPosition([]File{{New: at.Path, Status: FileModified, Hunks: []Hunk{whole}}}, at, quote)
	if fit == NoMatch || len(quoteOf(quote)) == 0 {
		return 0, 0, false
	}
	return found.Start, found.Line, true
}

// textHunk returns a hunk with all lines of a text, as context.
func textHunk(text string) Hunk {
	var body strings.Builder
	h := Hunk{OldStart: 1, NewStart: 1, parents: 1}
	for line := range strings.Lines(text) {
		body.WriteString(" " + strings.TrimSuffix(line, "\n") + "\n")
		h.OldLines++
		h.NewLines++
	}
	h.body = body.String()
	return h
}

// NumberTextLines returns a text in the form of NumberedLines.
func NumberTextLines(text string) string {
	h := textHunk(text)
	var b []byte
	for line := range h.Lines() {
		b = line.appendNumbered(b)
	}
	return string(b)
}
