package supervisor

import "time"

// Factor is a person's second factor as it is kept, and what was tried against it.
type Factor struct {
	User      string
	Secret    []byte // sealed to the user; nil where they have not enrolled
	Confirmed bool   // a code has shown that they hold it; before that it counts for nothing
	// of the last code that was taken, in 30 seconds since 1970: no code up to it is taken again
	LastPeriod  int64
	Failures    int // wrong codes since the last right one or lockout
	Lockouts    int // since the last right code
	LockedUntil time.Time
	Recovery    []string // SHA-256 of the recovery codes that are left, in hexadecimal
}

// Verdict is what became of a code that was tried.
type Verdict struct {
	Right  bool   // it opens the gate
	Action string // for the audit log: login, login.refused, login.locked, ...
	Text   string // for the person
}

// Decide holds a code against a factor, and returns the factor as it is from then on. It is called
// within the transaction that reads and writes the factor: of a hundred who try one code at once,
// one is right.
type Decide func(f Factor, now time.Time) (Factor, Verdict)

// Guard has an inbound held if the gate is closed when it is kept. Both happen in one transaction.
type Guard struct {
	// how long the gate stays open: after it was last passed, and in all
	IdleTimeout, Lifetime time.Duration
	// what the person is told of a closed gate: once for all that it holds in a conversation
	Challenge string
	// At is where the challenge goes; the zero value is where the inbound came from. Codes are for
	// private chats.
	At Conversation
	// RepeatSoon has the challenge be repeated soon: the person may have meant the inbound as a
	// code.
	RepeatSoon bool
	// AnswerOnly says that no code would open the gate now: the inbound is answered with the
	// challenge, and not held.
	AnswerOnly bool
	// Decide is set where the inbound is a code if the gate is closed, and words if it is open. A
	// code is tried, and no word of it is kept.
	Decide Decide
}

// Lock is where an inbound closes its person's gate; "" is nowhere.
type Lock string

const (
	LockHere Lock = "here" // in the inbound's chat
	LockAll  Lock = "all"  // in every chat of theirs
)

// GateDecision is what becomes of an inbound.
type GateDecision struct {
	Guard *Guard // nil lets it through
	// Decide is set where the inbound is a code: it is tried, and no word of it is kept. With a
	// Guard the gate is open, and the code may be meant for something else.
	Decide Decide
	// Lock closes the gate in the transaction that keeps the inbound: what is kept after it finds
	// the gate closed.
	Lock Lock
	// Confirms is the question that the code is for; 0 for none. Where that is open when the code
	// is tried, a right one answers it.
	Confirms int64
	// Refused is why the inbound is not taken; "" where it is. With Quiet the person was told
	// before.
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
