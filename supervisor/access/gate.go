package access

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/rare"
)

// Factors finds a person's second factor as it is kept.
type Factors interface {
	Find(ctx context.Context, user string) (f supervisor.Factor, known bool, err error)
}

// Logins finds where a person's gate is open. A login that has run out may be found too.
type Logins interface {
	FindLogin(ctx context.Context, user string, channel supervisor.Channel, chat string) (l supervisor.Login, known bool, err error)
}

// Options are what a gate works with.
type Options struct {
	People  *People
	Factors Factors
	Logins  Logins
	// nil: its key is not there, and the gate of everybody who has a second factor stays closed
	Seal   *Seal
	Limits Limits
	Now    func() time.Time
	// Command is what is known of a slash command; the zero value of one that there is not.
	Command func(name string) supervisor.SlashCommand
	// Held counts the inbounds held by a closed gate that a code of c's user would let through if
	// it came from c's chat: those of that chat, and those of groups that ask for their code there.
	Held func(ctx context.Context, c supervisor.Conversation) (int64, error)
	// tells the admins what only they can mend, once an hour a person
	AlertAdmins func(user, text string)
}

// Limits are how long a gate stays open, and how fast people may send. 0 is the default of each.
type Limits struct {
	IdleTimeout time.Duration // after it was last passed; 30 min
	Lifetime    time.Duration // in all; 12 h
	Burst       int           // messages at once; 20
	PerSecond   float64       // messages a second after that; 1
	Waiting     int           // texts that are taken beyond that and wait for their turn; 0 is none
}

// defaultLimits: after 30 minutes and after 12 hours NIST SP 800-63B, section 4.2.3, asks for a
// second factor anew; the half hour is Kai's too.
var defaultLimits = Limits{IdleTimeout: 30 * time.Minute, Lifetime: 12 * time.Hour, Burst: 20, PerSecond: 1}

// Gate decides whether and how anything that a person sends is taken, by whatever channel it comes.
// It may be used from several goroutines.
type Gate struct {
	o      Options
	limits atomic.Pointer[Limits]
	rates  rateLimiter
	alerts rare.Throttle // of whom the admins were told
}

// NewGate makes a gate.
func NewGate(o Options) *Gate {
	g := &Gate{o: o, alerts: rare.Throttle{Every: alertInterval}}
	g.SetLimits(o.Limits)
	return g
}

// SetLimits sets other limits while the gate is in use. What was let through before is not asked
// again.
func (g *Gate) SetLimits(l Limits) {
	g.limits.Store(&Limits{IdleTimeout: positive(l.IdleTimeout, defaultLimits.IdleTimeout), Lifetime: positive(l.Lifetime, defaultLimits.Lifetime),
		Burst: positive(l.Burst, defaultLimits.Burst), PerSecond: positive(l.PerSecond, defaultLimits.PerSecond), Waiting: l.Waiting})
}

func positive[T cmp.Ordered](value, instead T) T {
	var zero T
	if value <= zero {
		return instead
	}
	return value
}

// Check decides what becomes of an inbound. Its Kind is set, and its conversation's user is who
// sent it. Each inbound has to be checked: it counts against how fast its sender may send, once
// however often it comes. An error is ctx's alone, and nothing was decided then. Check may call
// AlertAdmins, so it is not for within a transaction.
func (g *Gate) Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	user, why := g.activeUser(in.Conversation.User)
	if why != "" {
		return supervisor.GateDecision{Refusal: why, AlreadyTold: true}, nil
	}
	c := &check{gate: g, in: in, user: user, now: g.o.Now(), limits: *g.limits.Load()}
	if in.Command != "" {
		c.command = g.o.Command(in.Command)
	}
	for _, part := range checkOrder {
		d, err := part(c, ctx)
		if err != nil {
			return supervisor.GateDecision{}, err
		}
		if d != nil {
			return *d, nil
		}
	}
	return *c.guarded(), nil
}

// NeedsCode says whether a person has to send codes. They do not where their codes are off, and
// where they may go without a second factor and have none that counts. Of somebody who may not
// speak it is true.
func (g *Gate) NeedsCode(ctx context.Context, user string) (bool, error) {
	u, why := g.activeUser(user)
	if why != "" || u.Codes == supervisor.CodesOff {
		return why != "", nil
	}
	f, known, err := g.o.Factors.Find(ctx, user)
	if err != nil {
		return true, fmt.Errorf("find the second factor of %s: %w", user, err)
	}
	return !optional(u) || known && f.Confirmed, nil
}

// optional says whether somebody without a second factor that counts may speak.
func optional(u supervisor.User) bool { return u.Codes == supervisor.CodesOptional || u.Codes == "" }

// activeUser is a user who may speak, or why they may not.
func (g *Gate) activeUser(name string) (u supervisor.User, why string) {
	u, known := g.o.People.Find(name)
	switch {
	case !known:
		return u, fmt.Sprintf(textNoUser, name)
	case g.o.People.Suspended(name):
		return u, fmt.Sprintf(textSuspended, name, name)
	}
	return u, ""
}

// DecideLogin holds a code against a person's factor, to open a gate or to confirm a factor that
// was just made.
func (g *Gate) DecideLogin(user, code string) supervisor.CheckCode {
	l := g.limits.Load()
	return g.decide(user, code, codePurpose{action: actionLogin, enrols: true,
		done: fmt.Sprintf(textUnlocked, amount.Duration(l.Lifetime), amount.Duration(l.IdleTimeout))})
}

// DecideStepUp holds a code against a person's factor for one effect that needs a fresh one. An
// open gate does not help, and neither does the code that opened it.
func (g *Gate) DecideStepUp(user, code string) supervisor.CheckCode {
	return g.decide(user, code, codePurpose{action: "stepup", done: textConfirmed})
}

// DecideEnrol holds a code against a factor that was just made, to confirm it. It opens no gate.
func (g *Gate) DecideEnrol(user, code string) supervisor.CheckCode {
	return g.decide(user, code, codePurpose{action: "totp", enrols: true, done: textEnrolled})
}

func (g *Gate) decide(user, code string, p codePurpose) supervisor.CheckCode {
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
		u, why := g.activeUser(user)
		v := verification{user: u, seal: g.o.Seal, text: code, purpose: p}
		if why != "" {
			return f, v.not(suffixRefused, why)
		}
		return v.verify(f, now)
	}
}

// alertInterval is how often the admins are told of the same person.
const alertInterval = time.Hour
