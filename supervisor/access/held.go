package access

import (
	"time"

	"mews/supervisor"
)

// ChallengeAgain is after how long somebody who goes on writing to a closed gate is told again that
// it is closed.
const ChallengeAgain = 10 * time.Minute

// maxTold is how often in that time somebody is told again who seems to have meant a code.
const maxTold = 4

// maxHeld is how many inbounds of a person are held at once: five bursts of what the gate takes at
// once. A code runs all of them, so it is about as much as somebody may mean by one code.
const maxHeld = 100

// RefuseHeld is how an inbound is answered that a closed gate does not hold; "" holds it. held is
// how many of its person's are held. A press is not held, for it may mean something else by the
// time that it is let through.
func RefuseHeld(kind supervisor.InboundKind, g supervisor.GateCheck, held int64) (answer string) {
	switch press, here := kind == supervisor.KindPress, g.ChallengeIn == (supervisor.Conversation{}); {
	case press && here:
		return textPressLocked
	case press:
		return textPressLockedElsewhere
	case held >= maxHeld:
		return textHeldFull
	}
	return ""
}

// Challenges says whether a person is told that the gate is closed who was told so often within
// ChallengeAgain.
func Challenges(g supervisor.GateCheck, told int64) bool {
	return told == 0 || g.RepeatSoon && told < maxTold
}

// DecideLate uses up a right code for nothing: what it was for was not done.
func DecideLate(decide supervisor.CheckCode) supervisor.CheckCode {
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
		f, v := decide(f, now)
		if v.Right {
			v = supervisor.CodeResult{Action: v.Action + ".late", Text: textCodeLate}
		}
		return f, v
	}
}
