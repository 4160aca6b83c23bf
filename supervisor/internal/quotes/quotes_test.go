package quotes_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mews/supervisor"
	"mews/supervisor/internal/quotes"
)

func TestRemoveQuotes_FormattedQuote_LeavesText(t *testing.T) {
	for want, q := range map[string]supervisor.Quote{
		"":                               {By: "Bob"},
		"> No.":                          {Text: " No.\n"},
		"> Bob: No.":                     {By: "Bob", Text: "No."},
		"> Bob: a\n> \n> b c":            {By: "Bob", Text: "a\n\n b\t c"},
		"> You: b":                       {By: "You", Part: "b"},
		"> You: b\n> (in:)\n> a\n> b":    {By: "You", Part: "b", Text: "a\nb"},
		"> all":                          {Part: " all ", Text: "all"},
		"> [2Jx":                         {Text: "\x1b[2J\u202ex"},
		"> " + strings.Repeat("ü", 2000): {Text: strings.Repeat("ü", 2000)},
		"> a" + strings.Repeat("b", 998) + "…" + strings.Repeat("b", 998) + "c": {
			Text: "a" + strings.Repeat("b", 3000) + "c",
		},
	} {
		if got := quotes.FormatQuote(q); got != want {
			t.Errorf("%+v is quoted as\n%s, want\n%s", q, got, want)
		}
	}
	long := supervisor.Quote{By: "You", Part: strings.Repeat("p", 5000), Text: strings.Repeat("t", 5000)}
	if got := utf8.RuneCountInString(quotes.FormatQuote(long)); got > 2040 {
		t.Errorf("%d characters are quoted", got)
	}
}
