package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	renderer "github.com/yuin/goldmark/renderer/html"
)

// tabWidth is the width of a tab in code, in columns. Telegram's servers would turn a tab into one
// space.
const tabWidth = 4

// sanitize replaces the characters that Telegram's servers replace or drop. Control characters
// become spaces. Characters that change the direction of the following text are removed.
func sanitize(s string) string {
	if strings.IndexFunc(s, offending) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0:
			return utf8.RuneError
		case r < ' ', r == '\u2028', r == '\u2029':
			return ' '
		case offending(r):
			return -1
		}
		return r
	}, s)
}

func offending(r rune) bool {
	return r < ' ' || r >= '\u2028' && r <= '\u202E'
}

// invisible reports whether s has no visible character. (Telegram's servers treat it as an empty
// message.)
func invisible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !blank(r) }) < 0
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || r >= '\u200B' && r <= '\u200F' || r == '\uFEFF' || r == '\u2800' || r == '\u180E' ||
		r == '\uFFFC' || r == '\u202E' || r >= 0xE0000 && r <= 0xE007F
}

// cjk reports whether r is a letter of a script without spaces between words.
func cjk(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// untabbed returns a line of code with spaces instead of tabs.
func untabbed(line string) string {
	if strings.IndexByte(line, '\t') < 0 {
		return line
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			column++
			continue
		}
		n := tabWidth - column%tabWidth
		b.WriteString("    "[:n])
		column += n
	}
	return b.String()
}

// unescape returns a text as it is displayed: without its backslashes, and with the characters that
// its references name. The library's writer also does that, but it escapes its output for HTML.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	renderer.DefaultWriter.Write(w, []byte(s))
	w.Flush() // a write to memory never fails
	return html.UnescapeString(b.String())
}
