package supervisor

import (
	"time"

	"mews/protocol"
)

// Role is what a user may do.
type Role string

const (
	RoleAdmin Role = "admin" // may see to the service and speak as anybody
	RoleUser  Role = "user"
)

// User is a person who may talk.
type User struct {
	Name string // unique; letters, digits, - and _
	Role Role
	// the OS account that is theirs: on the control socket, and of their worker; "" is the
	// service's own
	Account  string
	Home     string // absolute path of the folder that is theirs
	Timezone string // IANA name; "" is the machine's own
	Model    string // provider/model; "" is the configured default
	Files    protocol.FilePolicy
	// the number of their first account on each channel where they have one; not to be changed
	Accounts map[Channel]string
	// Workspaces are absolute paths of other folders that their worker may change.
	Workspaces []string
	Codes      Codes
	Budget     Budget
	History    int // how many days what was said is kept; 0: for ever
}

// Codes says whether a person has to prove with a time-based code (TOTP, RFC 6238) that it is they
// who speak.
type Codes string

const (
	CodesOff      Codes = "off"      // never, and they can't enrol
	CodesOptional Codes = "optional" // once they have enrolled; as is ""
	CodesRequired Codes = "required" // always: who has not enrolled can't speak
)

// Budget is what a person may spend on models, in millionths of a US dollar. 0 is no limit.
type Budget struct {
	Turn   int64 // in one turn
	Day    int64 // from midnight to midnight where they live
	Month  int64 // from the first to the first where they live
	Extend int64 // by how much they may lengthen their day by themselves, when asked; 0: not at all
}

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

// Lease is money that is set aside. The zero value is none: nothing had to be.
type Lease struct {
	ID     int64
	Amount int64 // millionths of a US dollar
}

// Claim is what is to be set aside for one attempt, and the limits that hold for it.
type Claim struct {
	User         string
	Conversation int64
	Turn         int64
	Spec         string // provider/model
	Amount       int64  // millionths of a US dollar, more than 0
	Least        int64  // what is enough where the limits do not allow Amount; 0 is Amount
	Limits       []Limit
	// a lease that ends with this claim, whether that is taken or not; 0 is none
	Instead int64
	// what pays for it; "" is its person. A name has a slash, as in review/acme/widget
	Pot string
}

// Limit is how much may be spent.
type Limit struct {
	Scope Scope
	Max   int64 // millionths of a US dollar
	// what was spent before does not count; a multiple of 15 minutes. Not with ScopeTurn and
	// ScopeFire
	Since time.Time
}

// Scope says whose spending counts, and over which time.
type Scope string

const (
	ScopeTurn         Scope = "turn"         // the turn's
	ScopeFire         Scope = "fire"         // all tries' of the fire that the turn is one of
	ScopeDay          Scope = "day"          // the person's
	ScopeMonth        Scope = "month"        // the person's
	ScopeJobDay       Scope = "job day"      // the turns of the person's jobs
	ScopeJobMonth     Scope = "job month"    // likewise
	ScopePot          Scope = "pot"          // the claim's pot's
	ScopeInstallation Scope = "installation" // everybody's
)

// Shortage is a limit that a claim would exceed. Amounts are in millionths of a US dollar.
type Shortage struct {
	Limit
	Spent    int64 // what was paid
	Held     int64 // what is set aside for calls that run
	Extended int64 // by how much the person has lengthened the limit
	Wanted   int64 // the claim's least
}

// Left is what may still be set aside. It may be less than 0.
func (s Shortage) Left() int64 { return s.Max + s.Extended - s.Spent - s.Held }

// Missing is by how much the claim's least exceeds the limit, more than 0.
func (s Shortage) Missing() int64 { return s.Wanted - s.Left() }

// Extension is by how much a person lengthens their limits, for one turn and for the time that the
// limits are for.
type Extension struct {
	User   string
	Turn   int64
	Amount int64 // millionths of a US dollar, more than 0
	// the most that all of the person's extensions since Since may come to, this one included
	Max   int64
	Since time.Time // as a rule their midnight
}
