// Package codes reads codes however people write them.
package codes

import (
	"regexp"
	"strings"
	"unicode"
)

// codeLabel is what people write before a code: “Code:”, “my recovery code:”.
var codeLabel = regexp.MustCompile(`^\p{L}+(?: \p{L}+){0,3} ?[:：] *`)

// Normalize is a text in which a code can be looked for: in capitals, with ASCII's digits,
// spaces and dashes in the place of the many other kinds, without invisible marks, without a label
// before it and without punctuation behind it. Only a question mark stays.
func Normalize(text string) string {
	plain := strings.ToUpper(strings.TrimSpace(strings.Map(asciiCodeRune, text)))
	return strings.TrimRightFunc(codeLabel.ReplaceAllString(plain, ""), func(r rune) bool {
		return r == ' ' || r != '?' && unicode.IsPunct(r)
	})
}

// asciiCodeRune is a letter of a code in ASCII, where it has one; -1 leaves it out.
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

// digitOf is a decimal digit of any script in ASCII. Unicode has a script's digits in a row, from
// zero on.
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
