package supervisor

import "time"

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
