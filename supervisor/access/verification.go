package access

import (
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"github.com/pquerna/otp/hotp"

	"mews/supervisor"
)

// codePeriod is how long a code holds, in seconds (RFC 6238, section 5.2; no longer by ASVS 5.0, 6.5.5).
const codePeriod = 30

// What is in the audit log of a code that was tried: a purpose's name, alone where it was right, else with one of these.
const (
	actionEnrolled      = "totp.enrolled"
	suffixRecovery      = ".recovery" // right, and a recovery code
	suffixExposed       = ".exposed"  // a recovery code that was sent where others read it
	suffixRefused       = ".refused"  // wrong, or a code that was used already
	suffixLocked        = ".locked"   // wrong, and no code is taken for a while
	suffixDuringLockout = ".barred"   // not looked at: the factor is locked
	suffixUnreadable    = ".broken"   // it can't be looked at: the secret does not open
)

// purpose is what a code is for.
type purpose struct {
	name   string // in the audit log
	enrols bool   // the first right code confirms a factor that was just made
	done   string // for the person, where it was right
}

// verification is a code that somebody tries.
type verification struct {
	user    supervisor.User
	seal    *Seal
	text    string
	purpose purpose
}

// verify is a supervisor.Decide. It reads no clock, keeps nothing, and calls nobody.
func (a verification) verify(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	f.LockedUntil = lockedUntil(f, now)
	switch {
	case len(f.Secret) == 0 || !f.Confirmed && !a.purpose.enrols:
		return f, a.verdict(suffixRefused, "There is no second factor of yours that a code could be held against. Set one up first.")
	case now.Before(f.LockedUntil):
		return f, a.verdict(suffixDuringLockout, "No code is taken "+a.until(f, now)+", not even a right one.")
	case appCode(a.text) != "":
		return a.verifyAppCode(f, now)
	case f.Confirmed && looksLikeRecovery(a.text, f):
		return a.verifyRecovery(f, now)
	}
	return f, a.verdict(suffixRefused, "That is no code. Send the six digits that your authenticator app shows.")
}

// verifyAppCode takes the code of this step and of the one before, which is the delay that RFC 6238, section 5.2, allows for,
// and no step twice. A code that was right but for that is no guess, and does not count as one.
func (a verification) verifyAppCode(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	secret, err := a.seal.Open(a.user.Name, f.Secret)
	if err != nil {
		return f, a.verdict(suffixUnreadable, unreadableFactorText(a.user.Name))
	}
	step, found, err := matchAppCode(appCode(a.text), string(secret), now)
	switch current := now.Unix() / codePeriod; {
	case err != nil:
		return f, a.verdict(suffixUnreadable, unreadableFactorText(a.user.Name))
	case found && step > f.LastStep:
		return a.accept(f, step)
	case current < f.LastStep:
		return f, a.verdict(suffixRefused, fmt.Sprintf("No code can be taken: the last one was of a later time than it is here now, "+
			"%s. The clock of the machine that Mews runs on was set back, or was wrong before. An admin can set it right; a "+
			"recovery code works all the same.", now.In(zone(a.user)).Format("15:04 on 2 January 2006")))
	case found:
		return f, a.verdict(suffixRefused, "That code was used already. Wait until your app shows another one, half a minute at most.")
	}
	return a.reject(f, now)
}

// matchAppCode finds the step of which a code is. It takes as long whether it finds one or not.
func matchAppCode(code, secret string, now time.Time) (step int64, found bool, err error) {
	current := now.Unix() / codePeriod
	for _, s := range []int64{current - 1, current} {
		want, err := hotp.GenerateCode(secret, uint64(s))
		if err != nil {
			return 0, false, fmt.Errorf("the secret is none: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, found = s, true
		}
	}
	return step, found, nil
}

// verifyRecovery takes a recovery code once.
func (a verification) verifyRecovery(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	kept, at := []byte(digest(recoveryDigits(a.text))), -1
	for i, d := range f.Recovery {
		if subtle.ConstantTimeCompare([]byte(d), kept) == 1 {
			at = i
		}
	}
	if at < 0 {
		return a.reject(f, now)
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
	return resetFailures(f), supervisor.Verdict{Right: true, Action: a.purpose.name + suffixRecovery, Text: a.purpose.done + " " + leftText(f)}
}

// leftText says how many recovery codes are left once one was used up.
func leftText(f supervisor.Factor) string {
	switch n := len(f.Recovery); n {
	case 0:
		return "It was your last recovery code: ask an admin for new ones soon."
	case 1:
		return "You have 1 recovery code left; this one can't be used again."
	default:
		return fmt.Sprintf("You have %d recovery codes left; this one can't be used again.", n)
	}
}

// decideExposedRecovery uses up a recovery code that was sent where others read it, also while no code is taken. It opens nothing,
// and is no try.
func decideExposedRecovery(text string) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		kept := digest(recoveryDigits(text))
		f.Recovery = slices.DeleteFunc(slices.Clone(f.Recovery), func(d string) bool { return d == kept })
		return f, supervisor.Verdict{Action: purposeLogin.name + suffixExposed, Text: "That was a recovery code, sent where others " +
			"may read it. It opened nothing, and is used up. " + leftText(f) + " Codes are for our private chat."}
	}
}

// decideUnreadable takes no code, because none can be looked at, and uses none up.
func decideUnreadable(user string) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		return f, supervisor.Verdict{Action: purposeLogin.name + suffixUnreadable, Text: unreadableFactorText(user)}
	}
}

// accept takes a right code of a step.
func (a verification) accept(f supervisor.Factor, step int64) (supervisor.Factor, supervisor.Verdict) {
	v := supervisor.Verdict{Right: true, Action: a.purpose.name, Text: a.purpose.done}
	if !f.Confirmed {
		v.Action, v.Text = actionEnrolled, "Your second factor is set up. "+a.purpose.done
	}
	f = resetFailures(f)
	f.Confirmed, f.LastStep = true, step
	return f, v
}

// reject takes a wrong code.
func (a verification) reject(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	f = countFailure(f, now)
	if now.Before(f.LockedUntil) {
		return f, a.verdict(suffixLocked, fmt.Sprintf("Wrong code, for the %dth time. No code is taken %s. If that was not you, tell "+
			"an admin: somebody uses your account.", maxTries, a.until(f, now)))
	}
	left := "1 try is"
	if n := maxTries - f.Failures; n > 1 {
		left = fmt.Sprintf("%d tries are", n)
	}
	return f, a.verdict(suffixRefused, fmt.Sprintf("Wrong code. %s left; then no code is taken for %s.", left, formatDuration(lockoutDuration(f.Lockouts+1))))
}

func (a verification) verdict(suffix, text string) supervisor.Verdict {
	return supervisor.Verdict{Action: a.purpose.name + suffix, Text: text}
}

func (a verification) until(f supervisor.Factor, now time.Time) string {
	return "before " + formatTime(lockedUntil(f, now), now, a.user)
}
