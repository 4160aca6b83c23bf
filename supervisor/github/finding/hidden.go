package finding

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// hidden says of a rune that nobody sees it: format characters (bidirectional controls, zero-width
// ones, tags), variation selectors, fillers, and controls that are no white space. (Unicode 15,
// general categories Cf and Cc.)
func hidden(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u034f', '\u17b4', '\u17b5':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector)
}

// reorders says of a rune that what stands behind it is shown in another order than it is read in.
// (CVE-2021-42574.)
func reorders(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// VisibleCode is code without the characters that nobody sees.
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

// unseen are the parts of Markdown that its reader is not shown, and what stands in their place.
var unseen = []struct {
	part *regexp.Regexp
	seen string
}{
	{regexp.MustCompile(`(?s)<!--.*?(-->|$)`), ""},
	{regexp.MustCompile(`(?s)<[?!][^>]*(>|$)`), ""},
	// definitions of links, and comments that look like one
	{regexp.MustCompile(`(?m)^[ \t>]{0,8}\[[^\]\n]+\]:.*\n?`), ""},
	{regexp.MustCompile(`!\[[^\]]*\](\([^)\n]*\)|\[[^\]]*\])?`), textImage},
	{regexp.MustCompile(`(?is)<img\b[^>]*(>|$)`), textImage},
	{regexp.MustCompile(`\]\(\s*(<[^>\n]*>|[^\s)]+)\s+[^)\n]*\)`), "]($1)"},
	{regexp.MustCompile(`(?s)<([A-Za-z][A-Za-z0-9-]*)\s[^>]*>`), "<$1>"},
}

var entity = regexp.MustCompile(`&(#[xX]?[0-9a-fA-F]{1,8}|[A-Za-z]{2,24});`)

// rounds is how often something is taken out of what was put together by taking something else out.
// Nobody who means well needs it twice.
const rounds = 16

// tamed are the characters without which nothing is unseen.
var tamed = strings.NewReplacer("<", "", "[", "", "]", "", "&", "")

// Visible is Markdown as its reader on GitHub sees it: without comments, characters that nobody
// sees, texts of images, titles of links and attributes. What somebody else has written is read as
// that alone.
func Visible(text string) string {
	for round := 1; ; round++ {
		seen := VisibleCode(text)
		seen = entity.ReplaceAllStringFunc(seen, func(e string) string {
			if strings.IndexFunc(html.UnescapeString(e), hidden) >= 0 {
				return ""
			}
			return e
		})
		for _, u := range unseen {
			seen = u.part.ReplaceAllString(seen, u.seen)
		}
		if seen == text {
			return seen
		}
		if text = seen; round == rounds {
			text = tamed.Replace(text)
		}
	}
}
