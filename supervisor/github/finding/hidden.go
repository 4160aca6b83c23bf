package finding

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// hidden reports whether a character is invisible. These are format characters (bidirectional
// controls, zero-width characters, tags), variation selectors, fillers, and controls other than
// white space. (Unicode 15, general categories Cf and Cc.)
func hidden(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u034f', '\u17b4', '\u17b5':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector)
}

// reorders reports whether a character changes the display order of the text after it.
// (CVE-2021-42574.)
func reorders(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// VisibleCode removes invisible characters from code.
func VisibleCode(text string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)
}

// undisplayedParts are parts of Markdown that GitHub does not display, with their replacements.
var undisplayedParts = []struct {
	part *regexp.Regexp
	seen string
}{
	{regexp.MustCompile(`(?s)<!--.*?(-->|$)`), ""},
	{regexp.MustCompile(`(?s)<[?!][^>]*(>|$)`), ""},
	// definitions of links; comments can have the same form
	{regexp.MustCompile(`(?m)^[ \t>]{0,8}\[[^\]\n]+\]:.*\n?`), ""},
	{regexp.MustCompile(`!\[[^\]]*\](\([^)\n]*\)|\[[^\]]*\])?`), textImage},
	{regexp.MustCompile(`(?is)<img\b[^>]*(>|$)`), textImage},
	{regexp.MustCompile(`\]\(\s*(<[^>\n]*>|[^\s)]+)\s+[^)\n]*\)`), "]($1)"},
	{regexp.MustCompile(`(?s)<([A-Za-z][A-Za-z0-9-]*)\s[^>]*>`), "<$1>"},
}

var entity = regexp.MustCompile(`&(#[xX]?[0-9a-fA-F]{1,8}|[A-Za-z]{2,24});`)

// rounds is the maximum number of rounds of removal. Removing a part may create another part to
// remove. Honest text needs only one round.
const rounds = 16

// withoutMarkup removes characters that every undisplayed part of Markdown needs.
var withoutMarkup = strings.NewReplacer("<", "", "[", "", "]", "", "&", "")

// VisibleMarkdown returns Markdown as GitHub displays it. It removes comments, invisible
// characters, texts of images, titles of links and attributes. Models get foreign text only in this
// form.
func VisibleMarkdown(text string) string {
	for round := 1; ; round++ {
		seen := VisibleCode(text)
		seen = entity.ReplaceAllStringFunc(seen, func(e string) string {
			if strings.IndexFunc(html.UnescapeString(e), hidden) >= 0 {
				return ""
			}
			return e
		})
		for _, u := range undisplayedParts {
			seen = u.part.ReplaceAllString(seen, u.seen)
		}
		if seen == text {
			return seen
		}
		if text = seen; round == rounds {
			text = withoutMarkup.Replace(text)
		}
	}
}
