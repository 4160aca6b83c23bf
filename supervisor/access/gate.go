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

// FactorFinder finds the stored second factor of a user.
type FactorFinder interface {
	Find(ctx context.Context, user string) (f supervisor.SecondFactor, known bool, err error)
}

// LoginFinder finds the login of a user in a chat. The login may have expired.
type LoginFinder interface {
	FindLogin(ctx context.Context, user string, channel supervisor.Channel, chat string) (l supervisor.Login, known bool, err error)
}

// Options are the dependencies and limits of a Gate.
type Options struct {
	People  *People
	Factors FactorFinder
	Logins  LoginFinder
	// nil means no key: then the gate stays closed for users with a second factor
	Seal   *Sealer
	Limits GateLimits
	Now    func() time.Time
	// Command finds a slash command. The zero value means that there is no such command.
	Command func(name string) supervisor.SlashCommand
	// Held counts the held inbounds that a code in c would release. These are the inbounds of c,
	// and those of groups that ask for their code in c.
	Held func(ctx context.Context, c supervisor.Conversation) (int64, error)
	// tells the admins about a problem that only they can fix; at most once an hour for each user
	AlertAdmins func(user, text string)
}

// GateLimits bound how long a gate stays open, and how fast a user may send. 0 means the default.
type GateLimits struct {
	IdleTimeout time.Duration // how long the gate stays open after the last accepted inbound; default 30 min
	Lifetime    time.Duration // how long the gate stays open after the login; default 12 h
	Burst       int           // messages that may come at once; default 20
	PerSecond   float64       // messages a second after a burst; default 1
	Waiting     int           // number of texts beyond the rate that are accepted and delayed; 0 means none
}

// defaultLimits asks for a new code after 30 minutes without messages, and 12 hours after the login
// (NIST SP 800-63B, section 4.2.3). The assistant Kai uses 30 minutes, too.
var defaultLimits = GateLimits{IdleTimeout: 30 * time.Minute, Lifetime: 12 * time.Hour, Burst: 20, PerSecond: 1}

// Gate decides whether an inbound of a user is accepted, on every channel. Its methods may be
// called from any goroutine.
type Gate struct {
	o      Options
	limits atomic.Pointer[GateLimits]
	rates  rateLimiter
	alerts rare.Throttle // limits the alerts about each user
}

// NewGate makes a gate with options.
func NewGate(o Options) *Gate {
	g := &Gate{o: o, alerts: rare.Throttle{Every: alertInterval}}
	g.SetLimits(o.Limits)
	return g
}

// SetLimits changes the limits while the gate is in use. Earlier decisions remain valid.
func (g *Gate) SetLimits(l GateLimits) {
	g.limits.Store(&GateLimits{IdleTimeout: orDefault(l.IdleTimeout, defaultLimits.IdleTimeout),
		Lifetime: orDefault(l.Lifetime, defaultLimits.Lifetime),
		Burst:    orDefault(l.Burst, defaultLimits.Burst), PerSecond: orDefault(l.PerSecond, defaultLimits.PerSecond), Waiting: l.Waiting})
}

func orDefault[T cmp.Ordered](value, instead T) T {
	var zero T
	if value <= zero {
		return instead
	}
	return value
}

// Check decides on an inbound. The caller has set the inbound's Kind and its conversation's user.
// Every inbound must be checked. Each inbound counts against its user's rate, but a repeated
// inbound counts once. The only error is that of ctx, and means that nothing was decided. Do not
// call Check within a transaction, because it may call AlertAdmins.
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
	return *c.guard(), nil
}

// NeedsCode says whether a user has to send codes. It is false if the user's codes are off. It is
// also false if codes are optional and the user has no confirmed factor. It is true for unknown and
// suspended users.
func (g *Gate) NeedsCode(ctx context.Context, user string) (bool, error) {
	u, why := g.activeUser(user)
	if why != "" || u.Codes == supervisor.TOTPOff {
		return why != "", nil
	}
	f, known, err := g.o.Factors.Find(ctx, user)
	if err != nil {
		return true, fmt.Errorf("find the second factor of %s: %w", user, err)
	}
	return !codesOptional(u) || known && f.Confirmed, nil
}

// codesOptional says whether a user may speak without a confirmed second factor.
func codesOptional(u supervisor.User) bool {
	return u.Codes == supervisor.TOTPOptional || u.Codes == ""
}

// activeUser returns a user; why is not empty if the user may not speak.
func (g *Gate) activeUser(name string) (u supervisor.User, why string) {
	u, known := g.o.People.Find(name)
	switch {
	case !known:
		return u, fmt.Sprintf(textNoUser, name)
	case g.o.People.IsSuspended(name):
		return u, fmt.Sprintf(textSuspended, name, name)
	}
	return u, ""
}

// DecideLogin checks a code against a user's factor. A right code opens a gate, and confirms a new
// factor.
func (g *Gate) DecideLogin(user, code string) supervisor.LoginCodeChecker {
	l := g.limits.Load()
	return g.decide(user, code, codePurpose{action: actionLogin, enrols: true,
		success: fmt.Sprintf(textUnlocked, amount.FormatDuration(l.Lifetime), amount.FormatDuration(l.IdleTimeout))})
}

// DecideStepUp checks a code for one effect that needs a new code. It accepts neither an open gate
// nor the code that opened the gate.
func (g *Gate) DecideStepUp(user, code string) supervisor.LoginCodeChecker {
	return g.decide(user, code, codePurpose{action: "stepup", success: textConfirmed})
}

// DecideEnrolment checks a code that confirms a new factor. The code opens no gate.
func (g *Gate) DecideEnrolment(user, code string) supervisor.LoginCodeChecker {
	return g.decide(user, code, codePurpose{action: "totp", enrols: true, success: textEnrolled})
}

func (g *Gate) decide(user, code string, p codePurpose) supervisor.LoginCodeChecker {
	return func(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		u, why := g.activeUser(user)
		v := verification{user: u, seal: g.o.Seal, text: code, purpose: p}
		if why != "" {
			return f, v.deny(suffixRefused, why)
		}
		return v.verify(f, now)
	}
}

// alertInterval is the shortest time between two alerts to the admins about the same user.
const alertInterval = time.Hour
