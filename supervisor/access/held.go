package access

import (
	"time"

	"mews/supervisor"
)

// ChallengeInterval is the least time between two requests for a code. A user who writes to a
// closed gate is asked for a code again after that time.
const ChallengeInterval = 10 * time.Minute

// maxChallenges is the most challenges within ChallengeInterval for a user who seems to send codes.
const maxChallenges = 4

// maxHeld is the largest number of held inbounds of a user: five bursts of the gate. One code
// releases all of them, and a user can hardly mean more inbounds by one code.
const maxHeld = 100

// RefusalText returns the refusal of an inbound that a closed gate can't hold. "" means that the
// gate holds the inbound. held is the number of the user's held inbounds. A press is never held:
// its button may mean something else once the gate opens.
func RefusalText(kind supervisor.InboundKind, g supervisor.GateCheck, held int64) (answer string) {
	switch press, here := kind == supervisor.KindPress, g.ChallengeIn == (supervisor.Conversation{}); {
	case press && here:
		return textPressLocked
	case press:
		return textPressLockedElsewhere
	case held >= maxHeld:
		return textTooManyHeld
	}
	return ""
}

// ShouldChallenge says whether a user is asked for a code again. told is the number of challenges
// within ChallengeInterval.
func ShouldChallenge(g supervisor.GateCheck, told int64) bool {
	return told == 0 || g.RepeatSoon && told < maxChallenges
}

// SpendLateCode uses up a right code that came too late. The code has no effect.
func SpendLateCode(decide supervisor.LoginCodeChecker) supervisor.LoginCodeChecker {
	return func(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f, v := decide(f, now)
		if v.Right {
			v = supervisor.LoginCodeResult{Action: v.Action + ".late", Text: textCodeLate}
		}
		return f, v
	}
}
