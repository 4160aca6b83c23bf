package supervisor

import "time"

// Factor is a person's second factor as it is kept, and what was tried against it.
type Factor struct {
	User        string
	Secret      []byte // sealed to the user; nil where they have not enrolled
	Confirmed   bool   // a code has shown that they hold it; before that it counts for nothing
	LastPeriod  int64  // of the last code that was taken: no step up to it is taken again
	Failures    int    // since the last success or lock-out
	Lockouts    int    // since the last success
	LockedUntil time.Time
	Recovery    []string // SHA-256 of the recovery codes that are left, in hexadecimal
}

// Verdict is what became of a code that was tried.
type Verdict struct {
	Right  bool   // it opens the gate
	Action string // for the audit log: login, login.refused, login.locked, ...
	Text   string // for the person
}

// Decide holds a code against a factor, and gives the factor as it is from then on. It is called within the transaction
// that reads the one and writes the other: of a hundred that try one code at once, one is right.
type Decide func(f Factor, now time.Time) (Factor, Verdict)

// Guard has an inbound meet a gate as it is kept, in the same transaction.
type Guard struct {
	IdleTimeout, Lifetime time.Duration // how long the gate stays open: after it was last passed, and in all
	Challenge             string        // what the person is told where it is closed: once for all that it holds in a conversation
	// At is where the challenge goes; the zero value is where the inbound came from. Codes are for private chats.
	At Conversation
	// RepeatSoon has the person be told again soon: they may have meant the inbound as a code.
	RepeatSoon bool
	// AnswerOnly says that no code will open it now: the inbound is answered with the Challenge, and is not held.
	AnswerOnly bool
	// Decide is set where the inbound is a code if the gate is closed, and words if it is open: closed, it is tried, and no
	// word of it is kept.
	Decide Decide
}

// Lock is what of a person's gate an inbound closes.
type Lock string

// What may be closed; "" is nothing.
const (
	LockHere Lock = "here" // in the inbound's chat
	LockAll  Lock = "all"  // in every chat of theirs
)

// Decision is what is to become of an inbound.
type GateDecision struct {
	Guard *Guard // nil lets it through
	// Decide is set where the inbound is a code: it is tried, and no word of it is kept. With a Guard the gate is open, so
	// that it may be meant for something else.
	Decide Decide
	// Lock closes the gate as the inbound is kept, in the same transaction: what is kept behind it meets a closed one.
	Lock Lock
	// Refused is why it is not taken at all; "" is that it is. With Quiet the person was told before.
	Refused string
	Quiet   bool
	Code    Code // of the refusal; "" is CodeForbidden
}

// Login is where a person's gate is open.
type Login struct {
	User     string
	Channel  Channel
	Chat     string
	OpenedAt time.Time
	UsedAt   time.Time
}

// Open says whether a login still holds.
func (l Login) Open(now time.Time, idle, life time.Duration) bool {
	return !l.OpenedAt.IsZero() && now.Sub(l.UsedAt) < idle && now.Sub(l.OpenedAt) < life &&
		!now.Before(l.OpenedAt) // a clock that was set back closes it
}
