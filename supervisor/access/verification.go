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
	// codePeriod is how long a code holds, in seconds (RFC 6238, section 5.2; no longer by ASVS
	// 5.0, 6.5.5).
	codePeriod = 30
	// validPeriods are the current one and the one before, which is the delay that RFC 6238,
	// section 5.2, allows for.
	validPeriods = 2
	// recentPeriods are those whose codes are no words, also when they are not right any more: five
	// minutes.
	recentPeriods = 10
)

// The audit log has of a code its purpose's action: alone where the code was right, else with one
// of these behind it.
const (
	actionLogin         = "login"
	actionEnrolled      = "totp.enrolled" // right, and it confirmed a factor
	suffixRecovery      = ".recovery"     // right, and a recovery code
	suffixExposed       = ".exposed"      // a recovery code that was sent where others read it
	suffixRefused       = ".refused"      // wrong, or a code that was used already
	suffixLocked        = ".locked"       // wrong, and the factor is locked for a while now
	suffixDuringLockout = ".barred"       // not looked at: the factor is locked
	suffixUnreadable    = ".broken"       // not looked at: the secret can't be opened
)

// codePurpose is what a code is for.
type codePurpose struct {
	action string // in the audit log
	enrols bool   // the first right code confirms a factor that was just made
	done   string // for the person, where the code was right
}

// verification holds a code against a factor.
type verification struct {
	user    supervisor.User
	seal    *Seal
	text    string
	purpose codePurpose
}

// verify is a supervisor.Decide. It reads no clock, keeps nothing, and calls nobody.
func (v verification) verify(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
	f.LockedUntil = lockedUntil(f, now)
	switch {
	case len(f.Secret) == 0 || !f.Confirmed && !v.purpose.enrols:
		return f, v.not(suffixRefused, textNothingToVerify)
	case now.Before(f.LockedUntil):
		return f, v.not(suffixDuringLockout, fmt.Sprintf(textDuringLockout, formatTime(f.LockedUntil, now, v.user)))
	case appCode(v.text) != "":
		return v.verifyAppCode(f, now)
	case f.Confirmed && looksLikeRecovery(v.text, f):
		return v.verifyRecovery(f, now)
	}
	return f, v.not(suffixRefused, textNotCode)
}

// verifyAppCode takes the code of a valid period, and none twice. A code that was right but for
// that is no guess, and does not count as one.
func (v verification) verifyAppCode(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
	period, found, err := v.matchAppCode(f, now, validPeriods)
	switch current := now.Unix() / codePeriod; {
	case err != nil:
		return f, v.not(suffixUnreadable, fmt.Sprintf(textUnreadableFactor, v.user.Name))
	case found && period > f.LastPeriod:
		return v.accept(f, period)
	case current < f.LastPeriod:
		return f, v.not(suffixRefused, fmt.Sprintf(textClockBack, now.In(timezone.Of(v.user)).Format("15:04 on 2 January 2006")))
	case found:
		return f, v.not(suffixRefused, textUsedCode)
	}
	return v.reject(f, now)
}

// matchAppCode finds the period of which the code is, among so many up to now. It takes as long
// whether it finds one or not.
func (v verification) matchAppCode(f supervisor.Factor, now time.Time, periods int64) (period int64, found bool, err error) {
	secret, err := v.seal.Open(v.user.Name, f.Secret)
	if err != nil {
		return 0, false, err
	}
	current := now.Unix() / codePeriod
	for p := current - periods + 1; p <= current; p++ {
		want, err := hotp.GenerateCode(string(secret), uint64(p))
		if err != nil {
			return 0, false, fmt.Errorf("the secret is none: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(appCode(v.text))) == 1 {
			period, found = p, true
		}
	}
	return period, found, nil
}

// verifyRecovery takes a recovery code once.
func (v verification) verifyRecovery(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
	f, right := withoutRecovery(f, v.text)
	if !right {
		return v.reject(f, now)
	}
	return resetFailures(f), supervisor.CodeResult{Right: true, Action: v.purpose.action + suffixRecovery,
		Text: v.purpose.done + " " + textRecoveryLeft(len(f.Recovery))}
}

// withoutRecovery is a factor without the recovery code that a text is. was says whether it had
// that code. It takes as long whether it had or not.
func withoutRecovery(f supervisor.Factor, text string) (_ supervisor.Factor, was bool) {
	tried, n := []byte(digest(recoveryDigits(text))), len(f.Recovery)
	f.Recovery = slices.DeleteFunc(slices.Clone(f.Recovery), func(d string) bool {
		return subtle.ConstantTimeCompare([]byte(d), tried) == 1
	})
	return f, len(f.Recovery) < n
}

// decideExposedRecovery uses up a recovery code that was sent where others read it, also while the
// factor is locked. The code opens nothing, and does not count as a try.
func decideExposedRecovery(text string) supervisor.CheckCode {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.CodeResult) {
		f, _ = withoutRecovery(f, text)
		return f, supervisor.CodeResult{Action: actionLogin + suffixExposed, Text: fmt.Sprintf(textExposedRecovery, textRecoveryLeft(len(f.Recovery)))}
	}
}

// decideUnreadable takes no code, because none can be verified, and uses none up.
func decideUnreadable(user string) supervisor.CheckCode {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.CodeResult) {
		return f, supervisor.CodeResult{Action: actionLogin + suffixUnreadable, Text: fmt.Sprintf(textUnreadableFactor, user)}
	}
}

// accept takes a right code of a period.
func (v verification) accept(f supervisor.Factor, period int64) (supervisor.Factor, supervisor.CodeResult) {
	verdict := supervisor.CodeResult{Right: true, Action: v.purpose.action, Text: v.purpose.done}
	if !f.Confirmed {
		verdict.Action, verdict.Text = actionEnrolled, textFactorSetUp+v.purpose.done
	}
	f = resetFailures(f)
	f.Confirmed, f.LastPeriod = true, period
	return f, verdict
}

// reject takes a wrong code.
func (v verification) reject(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
	f = countFailure(f, now)
	if now.Before(f.LockedUntil) {
		return f, v.not(suffixLocked, fmt.Sprintf(textWrongAndLocked, maxTries, formatTime(f.LockedUntil, now, v.user)))
	}
	return f, v.not(suffixRefused, fmt.Sprintf(textWrong, amount.Plural(maxTries-f.Failures, "try is", "tries are"),
		amount.Duration(lockoutDuration(f.Lockouts+1))))
}

// not is the verdict on a code that was not right.
func (v verification) not(suffix, text string) supervisor.CodeResult {
	return supervisor.CodeResult{Action: v.purpose.action + suffix, Text: text}
}
