package supervisor

import (
	"time"

	"mews/protocol"
)

// Role says whether a user may manage the service.
type Role string

const (
	RoleAdmin Role = "admin" // the user may manage the service and act as any user
	RoleUser  Role = "user"
)

// User is a person who may talk to the assistant.
type User struct {
	Name string // unique name of letters, digits, - and _
	Role Role
	// name of the user's Unix account, for the control socket and the worker; "" means the
	// service's own account
	Account  string
	Home     string // absolute path of the user's folder
	Timezone string // IANA name of the time zone; "" means the machine's own
	Model    string // model of the user as provider/model; "" means the configured default
	Files    protocol.FilePolicy
	// the user's account on each channel, the first if there are several; the map must not change
	Accounts map[Channel]string
	// Workspaces are absolute paths of other folders that the user's worker may change.
	Workspaces []string
	Codes      TOTPPolicy
	Budget     Budget
	History    int // days to keep messages; 0 means for ever
	// language of the user's Telegram app, an IETF tag such as en-US; "" means unknown
	Language string
}

// TOTPPolicy says whether a user must prove their identity by a time-based code. (TOTP, RFC 6238.)
type TOTPPolicy string

const (
	TOTPOff      TOTPPolicy = "off"      // the user needs no code, and can't enrol a second factor
	TOTPOptional TOTPPolicy = "optional" // the user needs codes once they have enrolled; "" means the same
	// the user always needs codes, and is locked out before enrolling
	TOTPRequired TOTPPolicy = "required"
)

// Budget limits a user's spending on models, in millionths of a US dollar. 0 means no limit.
type Budget struct {
	Turn   int64 // limit of one turn
	Day    int64 // limit of a day, from midnight in the user's zone
	Month  int64 // limit of a month, from the first in the user's zone
	Extend int64 // maximum amount that the user may add to the limit of a day when asked; 0 means none
}

// SecondFactor is a user's second factor, with counts of wrong codes.
type SecondFactor struct {
	User   string
	Secret []byte // the encrypted secret; nil means that the user is not enrolled
	// the user has proved by a code that they have the secret; before that, the factor protects
	// nothing
	Confirmed bool
	// number of the 30-second period, since 1970, of the last accepted code; codes of this or an
	// earlier period are refused
	LastPeriod  int64
	Failures    int // number of wrong codes since the last right code or lockout
	Lockouts    int // number of lockouts since the last right code
	LockedUntil time.Time
	Recovery    []string // SHA-256 of each unused recovery code, in hexadecimal
}

// LoginCodeResult is the result of trying a code.
type LoginCodeResult struct {
	Right  bool   // the code is right
	Action string // action for the audit log: login, login.refused, login.locked, ...
	Text   string // text for the user
}

// LoginCodeChecker checks a code against a factor, and returns the changed factor. The transaction
// that reads and writes the factor calls it. So if a hundred callers try the same code at once,
// only one succeeds.
type LoginCodeChecker func(f SecondFactor, now time.Time) (SecondFactor, LoginCodeResult)

// GateCheck says how to check the gate in the transaction that stores an inbound. A closed gate
// holds the inbound.
type GateCheck struct {
	// time that the gate stays open after its last use, and after its opening
	IdleTimeout, Lifetime time.Duration
	// text of the notice that the gate is closed; a conversation gets the notice once, not for each
	// held inbound
	Challenge string
	// ChallengeIn is the conversation for the Challenge, because codes belong in private chats. The
	// zero value means the inbound's conversation.
	ChallengeIn Conversation
	// RepeatSoon repeats the Challenge soon, because the user may have meant the inbound as a code.
	RepeatSoon bool
	// AnswerOnly says that no code can open the gate now. Then the Challenge answers the inbound,
	// and the gate does not hold it.
	AnswerOnly bool
	// CheckCode checks an inbound that counts as a code while the gate is closed. While the gate is
	// open, the inbound counts as text. The code itself is never stored.
	CheckCode LoginCodeChecker
}

// GateLock says which gates of its user an inbound closes; "" means none.
type GateLock string

const (
	LockChatGate GateLock = "here" // close the gate of the inbound's chat
	LockAllGates GateLock = "all"  // close the gates of all the user's chats
)

// GateDecision is the gate's decision about an inbound.
type GateDecision struct {
	Check *GateCheck // says how to check the gate; nil lets the inbound through
	// CheckCode checks an inbound that is a code. The code itself is never stored. With a Check,
	// the inbound counts as a code only while the gate is open.
	CheckCode LoginCodeChecker
	// Lock closes gates in the transaction that stores the inbound. So later inbounds find them
	// closed.
	Lock GateLock
	// Question is the id of the question that the code is for; 0 means none. If the question is
	// still open, a right code answers it.
	Question int64
	// Refusal is the reason why the inbound is refused; "" means that it is accepted. AlreadyTold
	// means that the user has got this reason before.
	Refusal     string
	AlreadyTold bool
	Code        ErrorCode // error code for Refusal; "" means CodeForbidden
}

// Login records that a user has opened the gate of a chat.
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
	Least        int64  // minimum amount that is enough for the call; 0 means Amount
	Limits       []SpendingLimit
	// id of an earlier lease that ends now, even if the new lease is refused; 0 means none
	ReplacedLease int64
	// name of the pot that pays, such as review/acme/widget; "" means that the user pays
	Pot string
}

// SpendingLimit is a limit of spending on models.
type SpendingLimit struct {
	Scope SpendingScope
	Max   int64 // limit in millionths of a US dollar
	// start of the time whose spending counts, a multiple of 15 minutes; ignored for ScopeTurn and
	// ScopeFire
	Since time.Time
}

// SpendingScope says whose spending a limit counts, and for which time.
type SpendingScope string

const (
	ScopeTurn          SpendingScope = "turn"         // spending of one turn
	ScopeFire          SpendingScope = "fire"         // spending of a job's fire, in all its tries
	ScopeDay           SpendingScope = "day"          // spending of the user in a day
	ScopeMonth         SpendingScope = "month"        // spending of the user in a month
	ScopeJobDay        SpendingScope = "job day"      // spending of the user's jobs in a day
	ScopeJobMonth      SpendingScope = "job month"    // spending of the user's jobs in a month
	ScopePot           SpendingScope = "pot"          // spending from the pot of the LeaseRequest
	ScopeRequestedWork SpendingScope = "requested"    // spending for reviews and triages that the user requested
	ScopeInstallation  SpendingScope = "installation" // spending of all users
)

// BudgetShortage is a limit that a lease would exceed, with the amounts that count. Amounts are in
// millionths of a US dollar.
type BudgetShortage struct {
	SpendingLimit
	Spent    int64 // amount already spent
	Held     int64 // amount that leases of running calls set aside
	Extended int64 // amount that the user added to the limit
	Wanted   int64 // minimum amount of the LeaseRequest
}

// AmountLeft returns the amount that is still free under the limit. It may be negative.
func (s BudgetShortage) AmountLeft() int64 { return s.Max + s.Extended - s.Spent - s.Held }

// MissingAmount returns how much more the LeaseRequest needs than is free. The result is positive.
func (s BudgetShortage) MissingAmount() int64 { return s.Wanted - s.AmountLeft() }

// LimitExtension adds an amount to a user's limits. These are the limits of a turn, the current day
// and the current month.
type LimitExtension struct {
	User   string
	Turn   int64
	Amount int64 // amount in millionths of a US dollar, more than 0
	// limit for the sum of this and all other extensions of the user after Since
	Max   int64
	Since time.Time // time from which extensions count for Max, usually the user's midnight
}
