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

// appCodeShape is six digits as apps show and people type them: spaces anywhere, or a dash in the middle. 2026-11 is none.
var appCodeShape = regexp.MustCompile(`^(?:\d *){6}$|^\d{3} ?- ?\d{3}$`)

// recoveryShape is a recovery code as it is shown, with any spaces and dashes between its groups.
var recoveryShape = regexp.MustCompile(`^(?:[0-9A-TV-Z]{4}[ -]*){6}[0-9A-TV-Z]{2}$`)

// recoveryAmongWords is a recovery code among other words. Six words of four letters and one of two are none: enough digits are in
// all but one of two hundred recovery codes.
var recoveryAmongWords = regexp.MustCompile(`\b(?:(?:[0-9A-TV-Z]{4}[ -]+){6}[0-9A-TV-Z]{2}|[0-9A-TV-Z]{26})\b`)

const minRecoveryDigits = 3 // how many digits a recoveryAmongWords has at least

// ContainsRecovery says whether a recovery code, or what looks like one, stands in a text, alone or among other words.
func ContainsRecovery(text string) bool {
	return slices.ContainsFunc(recoveryAmongWords.FindAllString(supervisor.NormalizeCode(text), -1), func(run string) bool {
		return len(run)-len(strings.Map(notDigit, run)) >= minRecoveryDigits
	})
}

func notDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// appCodeAmongWords are a code of an app's among other words.
var appCodeAmongWords = regexp.MustCompile(`(?:^|[^0-9])[0-9]{3}[ -]?[0-9]{3}(?:[^0-9]|$)`)

// containsAppCode says whether somebody may have meant a text as a code: it is short, and has six digits in it.
func containsAppCode(text string) bool {
	return len(text) <= maxCode && appCodeAmongWords.MatchString(supervisor.NormalizeCode(text))
}

// appCode is the code of six digits that a text is, "" where it is none.
func appCode(text string) string {
	if len(text) > maxCode || !appCodeShape.MatchString(supervisor.NormalizeCode(text)) {
		return ""
	}
	return withoutSpaces(supervisor.NormalizeCode(text))
}

// recoveryDigits is what a recovery code's digest is made of, if the text is one.
func recoveryDigits(text string) string {
	return misreadLetters.Replace(withoutSpaces(supervisor.NormalizeCode(text)))
}

// IsCode says whether a text looks like a code, of an app or to recover. That says nothing of where it may be taken.
func IsCode(text string) bool {
	return appCode(text) != "" || looksLikeRecovery(text, supervisor.Factor{})
}

// looksLikeRecovery says whether a text is to be taken for a recovery code of a factor: it is one, or looks like one that was
// mistyped. One without a digit is words: “what time does that show open at” has its length.
func looksLikeRecovery(text string, f supervisor.Factor) bool {
	if len(text) > maxCode {
		return false
	}
	shown := supervisor.NormalizeCode(text)
	return recoveryShape.MatchString(shown) && strings.ContainsAny(shown, "0123456789") || isUnusedRecovery(text, f)
}

// isUnusedRecovery says whether a text is a recovery code of a factor that nobody has used.
func isUnusedRecovery(text string, f supervisor.Factor) bool {
	return len(text) <= maxCode && slices.Contains(f.Recovery, digest(recoveryDigits(text)))
}
