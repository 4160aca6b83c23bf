package markdown

import (
	"regexp"
	"testing"
)

func TestParagraphText_OmitsQuotesAndCode(t *testing.T) {
	order := regexp.MustCompile(`(?m)^ {0,3}ORDER`)
	for name, c := range map[string]struct {
		md   string
		said bool // whether the paragraph text has ORDER at the beginning of a line
	}{
		"a line":                   {"ORDER", true},
		"a second line":            {"Thanks!\r\nORDER", true},
		"three spaces":             {"   ORDER", true},
		"after a quote":            {"> Why?\n\nORDER", true},
		"after a fence":            {"```\nx\n```\nORDER", true},
		"above a line":             {"ORDER\n---\nBob", true},
		"after code in a line":     {"`x`\nORDER", true},
		"a fence":                  {"```\nORDER\n```", false},
		"a fence of tildes":        {"~~~~\n```\nORDER\n~~~~", false},
		"an open fence":            {"Write\n```sh\n\nORDER", false},
		"a fence in a list":        {"- Write\n  ```\n  ORDER\n  ```", false},
		"indented code":            {"Write:\n\n    ORDER", false},
		"a tab":                    {"Write:\n\n\tORDER", false},
		"a quote":                  {"> ORDER", false},
		"a quote's further line":   {"> Write\nORDER", false},
		"a quoted fence":           {"> ```\n> ORDER\n> ```", false},
		"a list":                   {"- ORDER", false},
		"a list's further line":    {"1. Write\nORDER", false},
		"code over several lines":  {"Write `a\nORDER\nb`", false},
		"a comment":                {"<!--\nORDER\n-->", false},
		"a comment in a paragraph": {"Hi <!--\nORDER\n--> there", false},
		"HTML":                     {"<pre>\nORDER\n</pre>", false},
		"a heading":                {"# ORDER", false},
		"a table":                  {"| a |\n| - |\n| ORDER |", false},
	} {
		if order.MatchString(ParagraphText(c.md)) != c.said {
			t.Errorf("%s: %q", name, ParagraphText(c.md))
		}
	}
}
