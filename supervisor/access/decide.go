package access

import (
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"github.com/pquerna/otp/hotp"

	"mews/supervisor"
)

// period is how long a code holds, in seconds (RFC 6238, section 5.2; no longer by ASVS 5.0, 6.5.5).
const period = 30

// What is in the audit log of a code that was tried: a purpose's name, alone where it was right, else with one of these.
const (
	actionEnrolled = "totp.enrolled"
	suffixRecovery = ".recovery" // right, and a recovery code
	suffixExposed  = ".exposed"  // a recovery code that was sent where others read it
	suffixRefused  = ".refused"  // wrong, or a code that was used already
	suffixLocked   = ".locked"   // wrong, and no code is taken for a while
	suffixBarred   = ".barred"   // not looked at: the factor is locked
	suffixBroken   = ".broken"   // it can't be looked at: the secret does not open
)

// purpose is what a code is for.
type purpose struct {
	name   string // in the audit log
	enrols bool   // the first right code confirms a factor that was just made
	done   string // for the person, where it was right
}

// attempt is a code that somebody tries.
type attempt struct {
	user    supervisor.User
	seal    *Seal
	text    string
	purpose purpose
}

// decide is a supervisor.Decide. It reads no clock, keeps nothing, and calls nobody.
func (a attempt) decide(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	f.LockedUntil = lockedUntil(f, now)
	switch {
	case len(f.Secret) == 0 || !f.Confirmed && !a.purpose.enrols:
		return f, a.not(suffixRefused, "There is no second factor of yours that a code could be held against. Set one up first.")
	case now.Before(f.LockedUntil):
		return f, a.not(suffixBarred, "No code is taken "+a.until(f, now)+", not even a right one.")
	case timed(a.text) != "":
		return a.decideTimed(f, now)
	case f.Confirmed && recoverable(a.text, f):
		return a.decideRecovery(f, now)
	}
	return f, a.not(suffixRefused, "That is no code. Send the six digits that your authenticator app shows.")
}

// decideTimed takes the code of this step and of the one before, which is the delay that RFC 6238, section 5.2, allows for,
// and no step twice. A code that was right but for that is no guess, and does not count as one.
func (a attempt) decideTimed(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	secret, err := a.seal.Open(a.user.Name, f.Secret)
	if err != nil {
		return f, a.not(suffixBroken, brokenText(a.user.Name))
	}
	step, found, err := match(timed(a.text), string(secret), now)
	switch current := now.Unix() / period; {
	case err != nil:
		return f, a.not(suffixBroken, brokenText(a.user.Name))
	case found && step > f.LastStep:
		return a.enter(f, step)
	case current < f.LastStep:
		return f, a.not(suffixRefused, fmt.Sprintf("No code can be taken: the last one was of a later time than it is here now, "+
			"%s. The clock of the machine that Mews runs on was set back, or was wrong before. An admin can set it right; a "+
			"recovery code works all the same.", now.In(zone(a.user)).Format("15:04 on 2 January 2006")))
	case found:
		return f, a.not(suffixRefused, "That code was used already. Wait until your app shows another one, half a minute at most.")
	}
	return a.refuse(f, now)
}

// match finds the step of which a code is. It takes as long whether it finds one or not.
func match(code, secret string, now time.Time) (step int64, found bool, err error) {
	current := now.Unix() / period
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

// decideRecovery takes a recovery code once.
func (a attempt) decideRecovery(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	kept, at := []byte(digest(recovery(a.text))), -1
	for i, d := range f.Recovery {
		if subtle.ConstantTimeCompare([]byte(d), kept) == 1 {
			at = i
		}
	}
	if at < 0 {
		return a.refuse(f, now)
	}
	f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
	return cleared(f), supervisor.Verdict{Right: true, Action: a.purpose.name + suffixRecovery, Text: a.purpose.done + " " + leftText(f)}
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

// decideExposed uses up a recovery code that was sent where others read it, also while no code is taken. It opens nothing,
// and is no try.
func decideExposed(text string) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		kept := digest(recovery(text))
		f.Recovery = slices.DeleteFunc(slices.Clone(f.Recovery), func(d string) bool { return d == kept })
		return f, supervisor.Verdict{Action: purposeLogin.name + suffixExposed, Text: "That was a recovery code, sent where others " +
			"may read it. It opened nothing, and is used up. " + leftText(f) + " Codes are for our private chat."}
	}
}

// decideBroken takes no code, because none can be looked at, and uses none up.
func decideBroken(user string) supervisor.Decide {
	return func(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.Verdict) {
		return f, supervisor.Verdict{Action: purposeLogin.name + suffixBroken, Text: brokenText(user)}
	}
}

// enter takes a right code of a step.
func (a attempt) enter(f supervisor.Factor, step int64) (supervisor.Factor, supervisor.Verdict) {
	v := supervisor.Verdict{Right: true, Action: a.purpose.name, Text: a.purpose.done}
	if !f.Confirmed {
		v.Action, v.Text = actionEnrolled, "Your second factor is set up. "+a.purpose.done
	}
	f = cleared(f)
	f.Confirmed, f.LastStep = true, step
	return f, v
}

// refuse takes a wrong code.
func (a attempt) refuse(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	f = failed(f, now)
	if now.Before(f.LockedUntil) {
		return f, a.not(suffixLocked, fmt.Sprintf("Wrong code, for the %dth time. No code is taken %s. If that was not you, tell "+
			"an admin: somebody uses your account.", tries, a.until(f, now)))
	}
	left := "1 try is"
	if n := tries - f.Failures; n > 1 {
		left = fmt.Sprintf("%d tries are", n)
	}
	return f, a.not(suffixRefused, fmt.Sprintf("Wrong code. %s left; then no code is taken for %s.", left, span(rung(f.Lockouts+1))))
}

func (a attempt) not(suffix, text string) supervisor.Verdict {
	return supervisor.Verdict{Action: a.purpose.name + suffix, Text: text}
}

func (a attempt) until(f supervisor.Factor, now time.Time) string {
	return "before " + clock(lockedUntil(f, now), now, a.user)
}
