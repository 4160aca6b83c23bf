// Package codes finds codes in the many forms in which people write them.
package codes

import (
	"regexp"
	"strings"
	"unicode"
)

// codeLabel matches a label before a code: “Code:”, “my recovery code:”.
var codeLabel = regexp.MustCompile(`^\p{L}+(?: \p{L}+){0,3} ?[:：] *`)

// Normalize returns a text in a form in which a code can be found. Letters become capitals, and
// digits, spaces and dashes of all kinds become ASCII. A label before the code, punctuation and
// invisible characters are removed. Question marks stay.
func Normalize(text string) string {
	plain := strings.ToUpper(strings.TrimSpace(strings.Map(asciiCodeRune, text)))
	return strings.TrimRightFunc(codeLabel.ReplaceAllString(plain, ""), func(r rune) bool {
		return r == ' ' || r != '?' && unicode.IsPunct(r)
	})
}

// asciiCodeRune returns the ASCII form of a character in a code, or -1 to leave the character out.
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

// digitOf returns the ASCII form of a decimal digit of any script. In Unicode, the ten digits of a
// script follow each other, and zero is first.
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
