package codes_test

import (
	"testing"
	"unicode"

	"mews/supervisor/internal/codes"
)

func TestNormalize_Variants_GiveSameCode(t *testing.T) {
	for text, want := range map[string]string{
		"716708": "716708", "\u0667\u0661\u0666\u0667\u0660\u0668": "716708", "\u06f7\u06f1\u06f6\u06f7\u06f0\u06f8": "716708",
		"\uff17\uff11\uff16\uff17\uff10\uff18": "716708", "\u200e716708\u200f": "716708", "716\u2013708": "716-708", "716708.": "716708",
		"716708 !": "716708", "Code: 716708": "716708", "Mein Code\uff1a 716708,": "716708", "code 716708": "CODE 716708",
		"my own six digit code: 716708": "MY OWN SIX DIGIT CODE: 716708", "a: b: 1": "B: 1", "716708?": "716708?",
		"abcd-ef01": "ABCD-EF01", "\xff": "\ufffd", "": "", ".": "", "at 12:30": "AT 12:30",
	} {
		if got := codes.Normalize(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// Each of the ten digits of a script maps to the same digit in ASCII.
func TestDigitOf_EveryScript_HasTenDigits(t *testing.T) {
	count := map[string]int{}
	for r := range rune(unicode.MaxRune) {
		if unicode.Is(unicode.Nd, r) {
			count[codes.Normalize(string(r))]++
		}
	}
	for r := '0'; r <= '9'; r++ {
		if n := count[string(r)]; len(count) != 10 || n < 30 || n != count["0"] {
			t.Errorf("%c is %d digits of %d", r, n, len(count))
		}
	}
}
