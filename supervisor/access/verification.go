package access

import (
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"github.com/pquerna/otp/hotp"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

const (
	// codePeriod is how long a code is valid, in seconds (RFC 6238, section 5.2). ASVS 5.0, 6.5.5,
	// allows no longer period.
	codePeriod = 30
	// validPeriods is the number of periods whose codes are valid: the current period and the one
	// before. RFC 6238, section 5.2, allows for this delay.
	validPeriods = 2
	// recentPeriods is the number of periods whose expired codes still count as codes, not as
	// words. Together they are five minutes.
	recentPeriods = 10
)

// Parts of a code's audit action. A right code has only its purpose's action; any other result has
// one of these suffixes.
const (
	actionLogin         = "login"
	actionEnrolled      = "totp.enrolled" // a right code that confirmed a factor
	suffixRecovery      = ".recovery"     // a right recovery code
	suffixExposed       = ".exposed"      // a recovery code in a chat that other people read
	suffixRefused       = ".refused"      // a wrong or used code
	suffixLocked        = ".locked"       // a wrong code that locked the factor
	suffixDuringLockout = ".barred"       // the code was not checked: the factor is locked
	suffixUnreadable    = ".broken"       // the code was not checked: the secret can't be opened
)

// codePurpose says what a right code does.
type codePurpose struct {
	action  string // the code's action in the audit log
	enrols  bool   // the first right code confirms a new factor
	success string // the answer to a right code
}

// verification checks a code against a factor.
type verification struct {
	user    supervisor.User
	seal    *Sealer
	text    string
	purpose codePurpose
}

// verify is a supervisor.LoginCodeChecker. It reads no clock, stores nothing, and calls no other
// package.
func (v verification) verify(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	f.LockedUntil = lockedUntil(f, now)
	switch {
	case len(f.Secret) == 0 || !f.Confirmed && !v.purpose.enrols:
		return f, v.deny(suffixRefused, textNothingToVerify)
	case now.Before(f.LockedUntil):
		return f, v.deny(suffixDuringLockout, fmt.Sprintf(textDuringLockout, formatTime(f.LockedUntil, now, v.user)))
	case appCode(v.text) != "":
		return v.verifyAppCode(f, now)
	case f.Confirmed && looksLikeRecovery(v.text, f):
		return v.verifyRecovery(f, now)
	}
	return f, v.deny(suffixRefused, textNotCode)
}

// verifyAppCode accepts the code of a valid period once. A used code is no guess, so it does not
// count as a failure.
func (v verification) verifyAppCode(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	period, found, err := v.matchAppCode(f, now, validPeriods)
	switch current := now.Unix() / codePeriod; {
	case err != nil:
		return f, v.deny(suffixUnreadable, fmt.Sprintf(textUnreadableFactor, v.user.Name))
	case found && period > f.LastPeriod:
		return v.accept(f, period)
	case current < f.LastPeriod:
		return f, v.deny(suffixRefused, fmt.Sprintf(textClockBack, now.In(timezone.ForUser(v.user)).Format("15:04 on 2 January 2006")))
	case found:
		return f, v.deny(suffixRefused, textUsedCode)
	}
	return v.reject(f, now)
}

// matchAppCode finds the code's period among the last periods. It always takes the same time.
func (v verification) matchAppCode(f supervisor.SecondFactor, now time.Time, periods int64) (period int64, found bool,
	err error) {
	secret, err := v.seal.Open(v.user.Name, f.Secret)
	if err != nil {
		return 0, false, err
	}
	current := now.Unix() / codePeriod
	for p := current - periods + 1; p <= current; p++ {
		want, err := hotp.GenerateCode(string(secret), uint64(p))
		if err != nil {
			return 0, false, fmt.Errorf("the secret is invalid: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(appCode(v.text))) == 1 {
			period, found = p, true
		}
	}
	return period, found, nil
}

// verifyRecovery accepts a recovery code once.
func (v verification) verifyRecovery(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	f, right := withoutRecovery(f, v.text)
	if !right {
		return v.reject(f, now)
	}
	return resetFailures(f), supervisor.LoginCodeResult{Right: true, Action: v.purpose.action + suffixRecovery,
		Text: v.purpose.success + " " + textRecoveryLeft(len(f.Recovery))}
}

// withoutRecovery returns the factor without a recovery code, and whether the factor had that code.
// It takes the same time in both cases.
func withoutRecovery(f supervisor.SecondFactor, text string) (_ supervisor.SecondFactor, was bool) {
	tried, n := []byte(digest(recoveryDigits(text))), len(f.Recovery)
	f.Recovery = slices.DeleteFunc(slices.Clone(f.Recovery), func(d string) bool {
		return subtle.ConstantTimeCompare([]byte(d), tried) == 1
	})
	return f, len(f.Recovery) < n
}

// decideExposedRecovery uses up a recovery code that other people can read, even while the factor
// is locked. The code opens nothing, and does not count as a try.
func decideExposedRecovery(text string) supervisor.LoginCodeChecker {
	return func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f, _ = withoutRecovery(f, text)
		return f, supervisor.LoginCodeResult{Action: actionLogin + suffixExposed,
			Text: fmt.Sprintf(textExposedRecovery, textRecoveryLeft(len(f.Recovery)))}
	}
}

// decideUnreadable refuses a code because the factor can't be read. It uses up no code.
func decideUnreadable(user string) supervisor.LoginCodeChecker {
	return func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		return f, supervisor.LoginCodeResult{Action: actionLogin + suffixUnreadable,
			Text: fmt.Sprintf(textUnreadableFactor, user)}
	}
}

// accept accepts a right code of a period.
func (v verification) accept(f supervisor.SecondFactor, period int64) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	verdict := supervisor.LoginCodeResult{Right: true, Action: v.purpose.action, Text: v.purpose.success}
	if !f.Confirmed {
		verdict.Action, verdict.Text = actionEnrolled, textFactorSetUp+v.purpose.success
	}
	f = resetFailures(f)
	f.Confirmed, f.LastPeriod = true, period
	return f, verdict
}

// reject counts a wrong code as a failure.
func (v verification) reject(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	f = countFailure(f, now)
	if now.Before(f.LockedUntil) {
		return f, v.deny(suffixLocked,
			fmt.Sprintf(textWrongAndLocked, maxTries, formatTime(f.LockedUntil, now, v.user)))
	}
	return f, v.deny(suffixRefused, fmt.Sprintf(textWrong, amount.Plural(maxTries-f.Failures, "try is", "tries are"),
		amount.FormatDuration(lockoutDuration(f.Lockouts+1))))
}

// deny returns the result for a code that was not accepted.
func (v verification) deny(suffix, text string) supervisor.LoginCodeResult {
	return supervisor.LoginCodeResult{Action: v.purpose.action + suffix, Text: text}
}
