package supervisor

import (
	"time"

	"mews/protocol"
)

// Role says what a user may do.
type Role string

const (
	RoleAdmin Role = "admin" // may manage the service and act as any user
	RoleUser  Role = "user"
)

// User is a person who may talk.
type User struct {
	Name string // unique; letters, digits, - and _
	Role Role
	// the OS account of the user on the control socket and of the user's worker; "" means the
	// service's own
	Account  string
	Home     string // absolute path of the user's folder
	Timezone string // IANA name; "" means the machine's own
	Model    string // provider/model; "" means the configured default
	Files    protocol.FilePolicy
	// number of the user's first account on each channel; read-only
	Accounts map[Channel]string
	// Workspaces are absolute paths of other folders that the user's worker may change.
	Workspaces []string
	Codes      Codes
	Budget     Budget
	History    int // days to keep messages; 0 means for ever
}

// Codes says whether a user must prove their identity with a time-based code (TOTP, RFC 6238).
type Codes string

const (
	CodesOff      Codes = "off"      // never, and the user can't enrol
	CodesOptional Codes = "optional" // once the user has enrolled; as is ""
	CodesRequired Codes = "required" // always: a user who has not enrolled can't speak
)

// Budget limits a user's spending on models, in millionths of a US dollar. 0 means no limit.
type Budget struct {
	Turn   int64 // in one turn
	Day    int64 // from midnight to midnight in the user's zone
	Month  int64 // from the first to the first in the user's zone
	Extend int64 // how much the user may add to the day's limit when asked; 0 means nothing
}

// Factor is a user's second factor, with the attempts on it.
type Factor struct {
	User   string
	Secret []byte // sealed to the user; nil means not enrolled
	// a code has proved that the user holds it; an unconfirmed factor counts for nothing
	Confirmed bool
	// of the last accepted code, in 30 seconds since 1970: no code up to it is accepted again
	LastPeriod  int64
	Failures    int // wrong codes since the last right one or lockout
	Lockouts    int // since the last right code
	LockedUntil time.Time
	Recovery    []string // SHA-256 of the unused recovery codes, in hexadecimal
}

// CodeResult is the result of a tried code.
type CodeResult struct {
	Right  bool   // it opens the gate
	Action string // for the audit log: login, login.refused, login.locked, ...
	Text   string // for the user
}

// CodeChecker checks a code against a factor and returns the changed factor. It is called within the
// transaction that reads and writes the factor: if a hundred callers try one code at once, one of
// them is right.
type CodeChecker func(f Factor, now time.Time) (Factor, CodeResult)

// GateCheck holds an inbound if the gate is closed when the inbound is stored. Both happen in one
// transaction.
type GateCheck struct {
	// how long the gate stays open: since its last use, and in all
	IdleTimeout, Lifetime time.Duration
	// the notice about a closed gate, once for all that it holds in a conversation
	Challenge string
	// ChallengeIn is the conversation for the challenge; the zero value means that of the inbound. Codes
	// belong into private chats.
	ChallengeIn Conversation
	// RepeatSoon repeats the challenge soon: the user may have meant the inbound as a code.
	RepeatSoon bool
	// AnswerOnly says that no code would open the gate now: the challenge answers the inbound,
	// which is not held.
	AnswerOnly bool
	// CodeChecker is set if the inbound counts as a code while the gate is closed, and as text while it
	// is open. A code is tried, and no part of it is stored.
	CheckCode CodeChecker
}

// Lock says which of the user's gates an inbound closes; "" means none.
type Lock string

const (
	LockHere Lock = "here" // in the inbound's chat
	LockAll  Lock = "all"  // in every chat of the user
)

// GateDecision is the gate's decision about an inbound.
type GateDecision struct {
	Check *GateCheck // nil lets it through
	// CodeChecker is set if the inbound is a code: it is tried, and no part of it is stored. With a
	// Guard the gate is open, and the code may be for something else.
	CheckCode CodeChecker
	// Lock closes the gate in the transaction that stores the inbound: later ones find it closed.
	Lock Lock
	// Question is the question that the code is for; 0 means none. If the question is open when the
	// code is tried, a right code answers it.
	Question int64
	// Refusal is why the inbound is refused; "" means accepted. Quiet means that the user was told
	// before.
	Refusal     string
	AlreadyTold bool
	Code        Code // of the refusal; "" means CodeForbidden
}

// Login records that a user's gate is open in a chat.
type Login struct {
	User     string
	Channel  Channel
	Chat     string
	OpenedAt time.Time
	UsedAt   time.Time
}

// IsOpen reports whether a login is still valid.
func (l Login) IsOpen(now time.Time, idle, life time.Duration) bool {
	return !l.OpenedAt.IsZero() && now.Sub(l.UsedAt) < idle && now.Sub(l.OpenedAt) < life &&
		!now.Before(l.OpenedAt) // a clock that was set back closes it
}

// Lease is money that is set aside. The zero value means that none was needed.
type Lease struct {
	ID     int64
	Amount int64 // millionths of a US dollar
}

// Claim asks for money for one model call, within limits.
type Claim struct {
	User         string
	Conversation int64
	Turn         int64
	Spec         string // provider/model
	Amount       int64  // millionths of a US dollar, more than 0
	Least        int64  // enough if the limits do not allow Amount; 0 means Amount
	Limits       []Limit
	// a lease that ends with this claim, even if the claim fails; 0 means none
	ReplacedLease int64
	// who pays; "" means the user. A pot's name has a slash, as in review/acme/widget
	Pot string
}

// Limit is a limit of spending.
type Limit struct {
	Scope Scope
	Max   int64 // millionths of a US dollar
	// earlier spending does not count; a multiple of 15 minutes. Not with ScopeTurn and ScopeFire
	Since time.Time
}

// Scope says whose spending counts, and over which time.
type Scope string

const (
	ScopeTurn         Scope = "turn"         // one turn
	ScopeFire         Scope = "fire"         // all tries of the turn's fire
	ScopeDay          Scope = "day"          // the user's day
	ScopeMonth        Scope = "month"        // the user's month
	ScopeJobDay       Scope = "job day"      // the turns of the user's jobs in a day
	ScopeJobMonth     Scope = "job month"    // the turns of the user's jobs in a month
	ScopePot          Scope = "pot"          // the claim's pot
	ScopeInstallation Scope = "installation" // all users
)

// Shortage is a limit that a claim would exceed. Amounts are in millionths of a US dollar.
type Shortage struct {
	Limit
	Spent    int64 // paid
	Held     int64 // set aside for running calls
	Extended int64 // added to the limit by the user
	Wanted   int64 // the claim's least
}

// Left returns what may still be set aside. It may be negative.
func (s Shortage) Left() int64 { return s.Max + s.Extended - s.Spent - s.Held }

// Missing returns by how much the claim's least exceeds the limit; it is positive.
func (s Shortage) Missing() int64 { return s.Wanted - s.Left() }

// Extension adds to a user's limits: that of a turn, and those of the current periods.
type Extension struct {
	User   string
	Turn   int64
	Amount int64 // millionths of a US dollar, more than 0
	// limit of all the user's extensions since Since, including this one
	Max   int64
	Since time.Time // usually the user's midnight
}
