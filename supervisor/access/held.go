package access

import (
	"time"

	"mews/supervisor"
)

// ChallengeAgain is the time after which a user who writes to a closed gate is asked for a code
// again.
const ChallengeAgain = 10 * time.Minute

// maxChallenges is the number of challenges within ChallengeAgain for a user who seems to have sent a
// code.
const maxChallenges = 4

// maxHeld is the largest number of held inbounds of a user: five bursts of the gate. One code runs
// all of them, so the number is about as much as a user may mean by one code.
const maxHeld = 100

// RefuseHeld returns the answer to an inbound that a closed gate can't hold. "" means that the gate
// holds it. held is the number of held inbounds of the user. A press is never held: it may mean
// something else by the time that the gate opens.
func RefuseHeld(kind supervisor.InboundKind, g supervisor.GateCheck, held int64) (answer string) {
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

// Challenges says whether a user is asked for a code again. told is the number of challenges within
// ChallengeAgain.
func Challenges(g supervisor.GateCheck, told int64) bool {
	return told == 0 || g.RepeatSoon && told < maxChallenges
}

// DecideLate uses up a right code that came too late. The code has no effect.
func DecideLate(decide supervisor.CodeChecker) supervisor.CodeChecker {
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
		f, v := decide(f, now)
		if v.Right {
			v = supervisor.CodeResult{Action: v.Action + ".late", Text: textCodeLate}
		}
		return f, v
	}
}
