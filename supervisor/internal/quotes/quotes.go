// Package quotes writes quotes for models, and finds them again.
package quotes

import (
	"cmp"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/printable"
)

// maxQuote is how much is quoted of a message, in characters, and of its part alone.
const maxQuote = 2000

// textQuoteOf stands in a quote between the part that was chosen and all of what it is of. It is
// for the model.
const textQuoteOf = "\n(in:)\n"

// Write is what a model reads before the words that answer a message, as a quote: the part that
// was chosen, and all of it, with the middle cut out where it is long; "" where there is nothing to
// quote.
func Write(q supervisor.Quote) string {
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
	return Lines(text)
}

// lineEnds are all that a reader may take for the end of a line.
var lineEnds = strings.NewReplacer(
	"\r\n",
	"\n",
	"\r",
	"\n",
	"\v",
	"\n",
	"\f",
	"\n",
	"\u0085",
	"\n",
	"\u2028",
	"\n",
	"\u2029",
	"\n",
)

// Lines is a text of which each line is a quote.
func Lines(text string) string {
	return "> " + strings.ReplaceAll(lineEnds.Replace(text), "\n", "\n> ")
}

// Drop is a text without the lines that are quotes.
func Drop(text string) string {
	return strings.Join(
		slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, ">") }),
		"\n",
	)
}

// quotable is a text in lines that can be quoted.
func quotable(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = printable.Text(strings.Join(strings.Fields(line), " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// cutMiddle is a text with at most so many characters, and an ellipsis for what is missing of it.
func cutMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	half := (most - 1) / 2
	return string(runes[:half]) + "…" + string(runes[len(runes)-half:])
}
