package access

import (
	"regexp"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/codes"
)

// maxCode is the length of the longest text that can be a code, in bytes.
const maxCode = 128

// appCodeShape matches six digits as apps show and people type them: with spaces anywhere, or a
// dash in the middle. 2026-11 is no code.
var appCodeShape = regexp.MustCompile(`^(?:\d *){6}$|^\d{3} ?- ?\d{3}$`)

// recoveryShape matches a recovery code as it is shown, with any spaces and dashes between its
// groups.
var recoveryShape = regexp.MustCompile(`^(?:[0-9A-TV-Z]{4}[ -]*){6}[0-9A-TV-Z]{2}$`)

// recoveryAmongWords matches a recovery code among other words. It also matches six words of four
// letters and one word of two; see minRecoveryDigits.
var recoveryAmongWords = regexp.MustCompile(`\b(?:(?:[0-9A-TV-Z]{4}[ -]+){6}[0-9A-TV-Z]{2}|[0-9A-TV-Z]{26})\b`)

// minRecoveryDigits is the least number of digits in a recovery code, so that words do not count as
// one.
const minRecoveryDigits = 3

var digits = regexp.MustCompile(`[0-9]`)

// ContainsRecoveryCode says whether a text contains a recovery code or a text like one. The code
// may stand alone or among other words.
func ContainsRecoveryCode(text string) bool {
	return slices.ContainsFunc(recoveryAmongWords.FindAllString(codes.Normalize(text), -1), hasRecoveryDigits)
}

func hasRecoveryDigits(text string) bool {
	return len(digits.FindAllString(text, minRecoveryDigits)) == minRecoveryDigits
}

// appCodeAmongWords matches an app's code among other words.
var appCodeAmongWords = regexp.MustCompile(`(?:^|[^0-9])[0-9]{3}[ -]?[0-9]{3}(?:[^0-9]|$)`)

// containsAppCode says whether a user may have meant a text as a code. Such a text is short, and
// has six digits in it.
func containsAppCode(text string) bool {
	return len(text) <= maxCode && appCodeAmongWords.MatchString(codes.Normalize(text))
}

// appCode returns the six digits of a text that is an app's code; "" means that the text is no
// code.
func appCode(text string) string {
	if len(text) > maxCode || !appCodeShape.MatchString(codes.Normalize(text)) {
		return ""
	}
	return withoutSpaces(codes.Normalize(text))
}

// recoveryDigits returns a recovery code in the form from which its digest is made.
func recoveryDigits(text string) string {
	return misreadLetters.Replace(withoutSpaces(codes.Normalize(text)))
}

// IsCode says whether a text looks like an app's code or a recovery code. It ignores the chat in
// which the text was sent.
func IsCode(text string) bool {
	return appCode(text) != "" || looksLikeRecovery(text, supervisor.SecondFactor{})
}

// looksLikeRecovery says whether a text is a recovery code of a factor, or looks like a mistyped
// one. A text without a digit is words: “what time does that show open at” is as long as a code.
func looksLikeRecovery(text string, f supervisor.SecondFactor) bool {
	if len(text) > maxCode {
		return false
	}
	shown := codes.Normalize(text)
	return recoveryShape.MatchString(shown) && strings.ContainsAny(shown, "0123456789") || isUnusedRecovery(text, f)
}

// isUnusedRecovery says whether a text is an unused recovery code of a factor.
func isUnusedRecovery(text string, f supervisor.SecondFactor) bool {
	return len(text) <= maxCode && slices.Contains(f.Recovery, digest(recoveryDigits(text)))
}
