package supervisor

import (
	"time"

	"mews/protocol"
)

// Role says whether a user may manage the service.
type Role string

const (
	RoleAdmin Role = "admin" // may manage the service and act as any user
	RoleUser  Role = "user"
)

// User is a person who may talk.
type User struct {
	Name string // unique name of letters, digits, - and _
	Role Role
	// Unix account of the user on the control socket and of the user's worker; "" means the
	// service's own account
	Account  string
	Home     string // absolute path of the user's folder
	Timezone string // IANA name of the time zone; "" means the machine's own
	Model    string // model of the user as provider/model; "" means the configured default
	Files    protocol.FilePolicy
	// number of the user's first account on each channel; do not change the map
	Accounts map[Channel]string
	// Workspaces are absolute paths of other folders that the user's worker may change.
	Workspaces []string
	Codes      CodePolicy
	Budget     Budget
	History    int // days to keep messages; 0 means for ever
	// the language of the user's Telegram, an IETF tag such as en-US; "" means unknown
	Language string
}

// CodePolicy says whether a user must prove their identity by a time-based code (TOTP, RFC 6238).
type CodePolicy string

const (
	CodesOff      CodePolicy = "off"      // the user never needs a code, and can't enrol
	CodesOptional CodePolicy = "optional" // the user needs codes only after enrolling; "" means the same
	// the user always needs codes, and can't speak before enrolling
	CodesRequired CodePolicy = "required"
)

// Budget limits a user's spending on models, in millionths of a US dollar. 0 means no limit.
type Budget struct {
	Turn   int64 // limit of one turn
	Day    int64 // limit of a day, from midnight in the user's zone
	Month  int64 // limit of a month, from the first in the user's zone
	Extend int64 // greatest amount that the user may add to the day's limit when asked; 0 means nothing
}

// SecondFactor is a user's second factor, with counts of wrong codes.
type SecondFactor struct {
	User   string
	Secret []byte // the encrypted secret; nil means that the user is not enrolled
	// a code has proved that the user has the secret; an unconfirmed factor protects nothing
	Confirmed bool
	// period of 30 seconds, since 1970, of the last accepted code; codes of this or an earlier
	// period are refused
	LastPeriod  int64
	Failures    int // number of wrong codes since the last right code or lockout
	Lockouts    int // number of lockouts since the last right code
	LockedUntil time.Time
	Recovery    []string // SHA-256 of the unused recovery codes, in hexadecimal
}

// CodeResult is the result of trying a code.
type CodeResult struct {
	Right  bool   // the code is right
	Action string // action for the audit log: login, login.refused, login.locked, ...
	Text   string // text for the user
}

// CodeChecker checks a code against a factor, and returns the changed factor. It is called within
// the transaction that reads and writes the factor. So if a hundred callers try the same code at
// once, only one succeeds.
type CodeChecker func(f SecondFactor, now time.Time) (SecondFactor, CodeResult)

// GateCheck says how to check an inbound's gate in the transaction that stores the inbound. A
// closed gate holds the inbound.
type GateCheck struct {
	// how long the gate stays open after its last use, and after its opening
	IdleTimeout, Lifetime time.Duration
	// text of the notice about the closed gate; a conversation gets the notice once, not for each
	// held inbound
	Challenge string
	// ChallengeIn is the conversation for the challenge, since codes belong in private chats. The
	// zero value means the inbound's conversation.
	ChallengeIn Conversation
	// RepeatSoon repeats the challenge soon: the user may have meant the inbound as a code.
	RepeatSoon bool
	// AnswerOnly says that no code would open the gate now. Then the challenge answers the inbound,
	// and the inbound is not held.
	AnswerOnly bool
	// CheckCode is set if the inbound counts as a code while the gate is closed. While the gate is
	// open, the inbound counts as text. A code is tried, and no part of it is stored.
	CheckCode CodeChecker
}

// GateLock says which gates of its user an inbound closes. "" means none.
type GateLock string

const (
	LockHere GateLock = "here" // the gate of the inbound's chat
	LockAll  GateLock = "all"  // the gates of all the user's chats
)

// GateDecision is the gate's decision about an inbound.
type GateDecision struct {
	Check *GateCheck // how to check the gate; nil lets the inbound through
	// CheckCode is set if the inbound is a code. The code is tried, and no part of it is stored.
	// With a Check, the inbound counts as a code only if the gate is open.
	CheckCode CodeChecker
	// GateLock closes gates in the transaction that stores the inbound, so that later inbounds find
	// them closed.
	Lock GateLock
	// Question is the id of the question that the code is for; 0 means none. If the question is
	// open when the code is tried, a right code answers it.
	Question int64
	// Refusal is the reason why the inbound is refused; "" means accepted. AlreadyTold means that
	// the user got the reason before.
	Refusal     string
	AlreadyTold bool
	Code        ErrorCode // code of the refusal; "" means CodeForbidden
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
		!now.Before(l.OpenedAt) // if the clock was set back, the gate is closed
}

// Lease is money set aside for a model call. The zero value means that no money was needed.
type Lease struct {
	ID     int64
	Amount int64 // amount in millionths of a US dollar
}

// LeaseRequest asks to set money aside for one model call, within limits.
type LeaseRequest struct {
	User         string
	Conversation int64
	Turn         int64
	Spec         string // provider/model
	Amount       int64  // amount in millionths of a US dollar, more than 0
	Least        int64  // the least amount that is enough; 0 means Amount
	Limits       []SpendingLimit
	// an earlier lease that ends now, even if the claim fails; 0 means none
	ReplacedLease int64
	// name of the pot that pays, such as review/acme/widget; "" means that the user pays
	Pot string
}

// SpendingLimit is a limit of spending on models.
type SpendingLimit struct {
	Scope SpendingScope
	Max   int64 // limit in millionths of a US dollar
	// start of the counted spending, a multiple of 15 minutes; ignored for ScopeTurn and ScopeFire
	Since time.Time
}

// SpendingScope says whose spending a limit counts, and in which time.
type SpendingScope string

const (
	ScopeTurn         SpendingScope = "turn"         // one turn
	ScopeFire         SpendingScope = "fire"         // all tries of the turn's fire
	ScopeDay          SpendingScope = "day"          // the user's day
	ScopeMonth        SpendingScope = "month"        // the user's month
	ScopeJobDay       SpendingScope = "job day"      // the turns of the user's jobs in a day
	ScopeJobMonth     SpendingScope = "job month"    // the turns of the user's jobs in a month
	ScopePot          SpendingScope = "pot"          // the claim's pot
	ScopeRequested    SpendingScope = "requested"    // reviews and triages that the user requested
	ScopeInstallation SpendingScope = "installation" // all users
)

// BudgetShortage is a limit that a claim would exceed, with the amounts that count. Amounts are in
// millionths of a US dollar.
type BudgetShortage struct {
	SpendingLimit
	Spent    int64 // paid amount
	Held     int64 // amount set aside for running calls
	Extended int64 // amount that the user added to the limit
	Wanted   int64 // the claim's least amount
}

// AmountLeft returns the amount that may still be set aside under the limit. It may be negative.
func (s BudgetShortage) AmountLeft() int64 { return s.Max + s.Extended - s.Spent - s.Held }

// MissingAmount returns by how much the claim's least amount exceeds the limit. The result is
// positive.
func (s BudgetShortage) MissingAmount() int64 { return s.Wanted - s.AmountLeft() }

// LimitExtension adds an amount to a user's limits. These are the limits of a turn, the current day
// and the current month.
type LimitExtension struct {
	User   string
	Turn   int64
	Amount int64 // amount in millionths of a US dollar, more than 0
	// limit for the sum of the user's extensions after Since, with this one
	Max   int64
	Since time.Time // start of the time for Max, usually the user's midnight
}
