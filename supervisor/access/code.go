package access

import (
	"regexp"
	"slices"
	"strings"

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

// recoveryRun is a recovery code among other words. Six words of four letters and one of two are none: enough digits are in
// all but one of two hundred recovery codes.
var recoveryRun = regexp.MustCompile(`\b(?:(?:[0-9A-TV-Z]{4}[ -]+){6}[0-9A-TV-Z]{2}|[0-9A-TV-Z]{26})\b`)

const runDigits = 3 // how many digits a recoveryRun has at least

// HoldsRecovery says whether a recovery code, or what looks like one, stands in a text, alone or among other words.
func HoldsRecovery(text string) bool {
	return slices.ContainsFunc(recoveryRun.FindAllString(supervisor.BareCode(text), -1), func(run string) bool {
		return len(run)-len(strings.Map(notDigit, run)) >= runDigits
	})
}

func notDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// sixDigits are a code of an app's among other words.
var sixDigits = regexp.MustCompile(`(?:^|[^0-9])[0-9]{3}[ -]?[0-9]{3}(?:[^0-9]|$)`)

// nearlyTimed says whether somebody may have meant a text as a code: it is short, and has six digits in it.
func nearlyTimed(text string) bool {
	return len(text) <= maxCode && sixDigits.MatchString(supervisor.BareCode(text))
}

// timed is the code of six digits that a text is, "" where it is none.
func timed(text string) string {
	if len(text) > maxCode || !timedShape.MatchString(supervisor.BareCode(text)) {
		return ""
	}
	return compact(supervisor.BareCode(text))
}

// recovery is what a recovery code's digest is made of, if the text is one.
func recovery(text string) string { return confused.Replace(compact(supervisor.BareCode(text))) }

// IsCode says whether a text looks like a code, of an app or to recover. That says nothing of where it may be taken.
func IsCode(text string) bool { return timed(text) != "" || recoverable(text, supervisor.Factor{}) }

// recoverable says whether a text is to be taken for a recovery code of a factor: it is one, or looks like one that was
// mistyped. One without a digit is words: “what time does that show open at” has its length.
func recoverable(text string, f supervisor.Factor) bool {
	if len(text) > maxCode {
		return false
	}
	shown := supervisor.BareCode(text)
	return recoveryShape.MatchString(shown) && strings.ContainsAny(shown, "0123456789") || left(text, f)
}

// left says whether a text is a recovery code of a factor that nobody has used.
func left(text string, f supervisor.Factor) bool {
	return len(text) <= maxCode && slices.Contains(f.Recovery, digest(recovery(text)))
}
