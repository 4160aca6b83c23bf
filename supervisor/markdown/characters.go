package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// tabWidth is how many columns a tab in code takes: Telegram's servers would make one space of it.
const tabWidth = 4

// tidy is s without the characters that Telegram's servers replace or drop: control characters become spaces, and what
// turns the direction of the text that follows is taken out.
func tidy(s string) string {
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

// invisible says whether there is nothing to see in s. (What Telegram's servers take for an empty message.)
func invisible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !blank(r) }) < 0
}

func blank(r rune) bool {
	return unicode.IsSpace(r) || r >= '\u200B' && r <= '\u200F' || r == '\uFEFF' || r == '\u2800' || r == '\u180E' ||
		r == '\uFFFC' || r == '\u202E' || r >= 0xE0000 && r <= 0xE007F
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// untabbed is a line of code with spaces for tabs.
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

// unescape is text as it reads: without its backslashes, and with the characters that its references name.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]) {
			i++
			b.WriteByte(s[i])
			continue
		}
		if s[i] == '&' {
			if what, n := reference(s[i:]); n > 0 {
				b.WriteString(what)
				i += n - 1
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// maxReference is longer than any character reference: &CounterClockwiseContourIntegral;
const maxReference = 40

// reference is the character that s begins with a reference to, and how long that is; 0 where it does not.
func reference(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if end < 2 {
		return "", 0
	}
	name := s[1:end]
	if name[0] == '#' {
		if r := numbered(name[1:]); r != "" {
			return r, end + 1
		}
		return "", 0
	}
	entity, ok := util.LookUpHTML5EntityByName(name)
	if !ok {
		return "", 0
	}
	return string(entity.Characters), end + 1
}

// numbered is the character of a numeric reference's digits; "" where they are none.
func numbered(digits string) string {
	base := 10
	if digits != "" && digits[0]|0x20 == 'x' {
		base, digits = 16, digits[1:]
	}
	if len(digits) > 7 || strings.ContainsAny(digits, "+-_") {
		return ""
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return ""
	}
	return string(util.ToValidRune(rune(n)))
}
