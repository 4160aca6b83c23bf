// Package quotes marks words of others as quoted before a model sees them, and removes the marks.
package quotes

import (
	"cmp"
	"slices"
	"strings"

	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/printable"
)

// maxQuote is the largest number of characters that are quoted of a message, and of the part that
// the user selected.
const maxQuote = 2000

// textQuoteOf separates the selected part from the whole text in a quote. The model reads it.
const textQuoteOf = "\n(in:)\n"

// FormatQuote returns the quote of a message that a user replies to, for the model. It has the
// selected part and the whole text. Long texts are shortened in the middle. "" means that there is
// no text to quote.
func FormatQuote(q supervisor.Quote) string {
	part, text := quotable(q.Part), quotable(q.Text)
	if part == text {
		part = ""
	}
	part = cutMiddle(part, maxQuote/2)
	text = cutMiddle(text, maxQuote-len([]rune(part)))
	if part != "" && text != "" {
		text = part + textQuoteOf + text
	}
	text = cmp.Or(text, part)
	if text == "" {
		return ""
	}
	if q.By != "" {
		text = q.By + ": " + text
	}
	return QuoteLines(text)
}

// QuoteLines puts the mark of a quote before each line of a text.
func QuoteLines(text string) string {
	return "> " + strings.ReplaceAll(foreign.Clean(text), "\n", "\n> ")
}

// BeginsWithQuote reports whether a text begins with a quoted line.
func BeginsWithQuote(text string) bool { return strings.HasPrefix(text, ">") }

// RemoveQuotes removes the quoted lines from a text.
func RemoveQuotes(text string) string {
	return strings.Join(
		slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, ">") }),
		"\n",
	)
}

// quotable returns a text that can be quoted line by line: without control characters and repeated
// spaces.
func quotable(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = printable.DropControls(strings.Join(strings.Fields(line), " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// cutMiddle shortens a text to the length most in characters, with an ellipsis in the middle.
func cutMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	half := (most - 1) / 2
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}
