package access

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mews/supervisor"
)

const (
	recoveryGroup = 4   // letters between the dashes that a recovery code is shown with
	maxCode       = 128 // bytes that somebody may need to write a code
)

// timedShape is six digits as apps show and people type them: spaces anywhere, or a dash in the middle. 2026-11 is none.
var timedShape = regexp.MustCompile(`^(?:\d *){6}$|^\d{3} ?- ?\d{3}$`)

// recoveryShape is a recovery code as it is shown, with any spaces and dashes between its groups.
var recoveryShape = regexp.MustCompile(`^(?:[0-9A-TV-Z]{4}[ -]*){6}[0-9A-TV-Z]{2}$`)

// timed is the code of six digits that a text is, "" where it is none.
func timed(text string) string {
	if len(text) > maxCode || !timedShape.MatchString(plain(text)) {
		return ""
	}
	return compact(text)
}

// recovery is what a recovery code's digest is made of, if the text is one.
func recovery(text string) string { return confused.Replace(strings.ToUpper(compact(text))) }

// IsCode says whether a text looks like a code, of an app or to recover. That says nothing of where it may be taken.
func IsCode(text string) bool { return timed(text) != "" || recoverable(text, supervisor.Factor{}) }

// recoverable says whether a text is to be taken for a recovery code of a factor: it is one, or looks like one that was
// mistyped. One without a digit is words: “what time does that show open at” has its length.
func recoverable(text string, f supervisor.Factor) bool {
	if len(text) > maxCode {
		return false
	}
	shown := plain(text)
	return recoveryShape.MatchString(shown) && strings.ContainsAny(shown, "0123456789") || left(text, f)
}

// left says whether a text is a recovery code of a factor that nobody has used.
func left(text string, f supervisor.Factor) bool {
	return len(text) <= maxCode && slices.Contains(f.Recovery, digest(recovery(text)))
}

// plain is text in capitals whose spaces and dashes, of which there are many kinds, are those of ASCII.
func plain(text string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Pd, r):
			return '-'
		}
		return r
	}, strings.TrimSpace(text)))
}
