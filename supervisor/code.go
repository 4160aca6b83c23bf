package supervisor

import (
	"regexp"
	"strings"
	"unicode"
)

// codeLabel is what people write before a code: “Code:”, “my recovery code:”.
var codeLabel = regexp.MustCompile(`^\p{L}+(?: \p{L}+){0,3} ?[:：] *`)

// NormalizeCode is a text as a code is looked for in it: in capitals, with the digits, spaces and dashes of ASCII, of each of which
// there are many kinds, and without marks that nobody sees, a label before it and punctuation behind it. A question stays one.
func NormalizeCode(text string) string {
	plain := strings.ToUpper(strings.TrimSpace(strings.Map(asciiCodeRune, text)))
	return strings.TrimRightFunc(codeLabel.ReplaceAllString(plain, ""), func(r rune) bool {
		return r == ' ' || r != '?' && unicode.IsPunct(r)
	})
}

// asciiCodeRune is a letter of a code as ASCII has it; -1 leaves it out.
func asciiCodeRune(r rune) rune {
	switch {
	case r >= '!' && r <= '~' && r != '-':
		return r
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Pd, r):
		return '-'
	case unicode.Is(unicode.Cf, r):
		return -1
	case unicode.Is(unicode.Nd, r):
		return digitOf(r)
	}
	return r
}

// digitOf is a decimal digit of any script in ASCII. Unicode has those of a script in a row, from zero on.
func digitOf(r rune) rune {
	for _, row := range unicode.Nd.R16 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return '0' + (r-rune(row.Lo))%10
		}
	}
	for _, row := range unicode.Nd.R32 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return '0' + (r-rune(row.Lo))%10
		}
	}
	return r
}
