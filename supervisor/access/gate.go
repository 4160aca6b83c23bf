package access

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mews/supervisor"
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
	Seal    *Seal // nil: its key is not there, and the gate of everybody who has a second factor stays closed
	Limits  Limits
	Now     func() time.Time // nil is time.Now
	// Command is what is known of a slash command; the zero value of one that there is not. nil knows none.
	Command func(name string) supervisor.SlashCommand
	// Held is how many inbounds a closed gate holds that a code of c's user would let through if it came from c's chat: what
	// is held in that chat, and what was sent in a group and asks for its code there. nil is that none is held.
	Held        func(ctx context.Context, c supervisor.Conversation) (int64, error)
	AlertAdmins func(user, text string) // tells the admins what only they can mend, once an hour a person; nil tells nobody
}

// Limits are how long a gate stays open, and how fast people may send. 0 is the default of each.
type Limits struct {
	IdleTimeout time.Duration // after it was last passed; 30 min
	Lifetime    time.Duration // in all; 12 h
	Burst       int           // messages at once; 20
	PerSecond   float64       // messages a second after that; 1
}

// defaults: the half hour and the twelve are those after which NIST SP 800-63B, section 4.2.3, asks for a second factor anew;
// the half hour is Kai's too. Twenty messages are more than anybody forwards at once by hand.
var defaults = Limits{IdleTimeout: 30 * time.Minute, Lifetime: 12 * time.Hour, Burst: 20, PerSecond: 1}

// Gate decides of everything that a person sends, by whatever channel, whether and how it is taken.
type Gate struct {
	o      Options
	limits atomic.Pointer[Limits]
	rates  rateLimiter
	alarms adminAlerts
}

// NewGate makes a gate.
func NewGate(o Options) *Gate {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Command == nil {
		o.Command = func(string) (c supervisor.SlashCommand) { return c }
	}
	if o.Held == nil {
		o.Held = func(context.Context, supervisor.Conversation) (int64, error) { return 0, nil }
	}
	if o.AlertAdmins == nil {
		o.AlertAdmins = func(string, string) {}
	}
	g := &Gate{o: o}
	g.SetLimits(o.Limits)
	return g
}

// SetLimits sets other limits while the gate is in use. What was let through before is not asked again.
func (g *Gate) SetLimits(l Limits) {
	if l.IdleTimeout <= 0 {
		l.IdleTimeout = defaults.IdleTimeout
	}
	if l.Lifetime <= 0 {
		l.Lifetime = defaults.Lifetime
	}
	if l.Burst <= 0 {
		l.Burst = defaults.Burst
	}
	if l.PerSecond <= 0 {
		l.PerSecond = defaults.PerSecond
	}
	g.limits.Store(&l)
}

// Check says what is to become of an inbound whose kind was read off it, and whose conversation's user is who sent it. Each
// inbound has to meet the gate: it counts against how fast its sender may send, once however often it comes. An error is ctx's alone; then nothing
// was decided. Meet may call the Alarm, so it is not for within a transaction.
func (g *Gate) Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	user, why := g.activeUser(in.Conversation.User)
	if why != "" {
		return supervisor.GateDecision{Refused: why, Quiet: true}, nil
	}
	v := &check{gate: g, in: in, user: user, now: g.o.Now(), limits: *g.limits.Load()}
	if in.Command != "" {
		v.command = g.o.Command(in.Command)
	}
	for _, part := range checkOrder {
		if m, err := part(v, ctx); m != nil || err != nil {
			return result(m, err)
		}
	}
	return v.guarded(), nil
}

func result(m *supervisor.GateDecision, err error) (supervisor.GateDecision, error) {
	if err != nil {
		return supervisor.GateDecision{}, err
	}
	return *m, nil
}

// NeedsCode says whether a person's gate stands between them and what they send. It does not where no code is asked of them: their
// codes are off, or they may have a second factor and have none that counts. Of somebody who may not speak it does.
func (g *Gate) NeedsCode(ctx context.Context, user string) (bool, error) {
	u, why := g.activeUser(user)
	if why != "" {
		return true, nil
	}
	if u.Codes == supervisor.CodesOff {
		return false, nil
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
		return u, fmt.Sprintf("There is no user %q here.", name)
	case g.o.People.Suspended(name):
		return u, suspendedText(name)
	}
	return u, ""
}

// What a code may be for.
var (
	purposeLogin  = purpose{name: "login", enrols: true}
	purposeStepUp = purpose{name: "stepup", done: "Confirmed."}
	purposeEnrol  = purpose{name: "totp", enrols: true, done: "From now on a code is asked for."}
)

// DecideLogin holds a code that did not come as a message against a person's factor, as one that opens a gate or confirms
// a factor that was just made.
func (g *Gate) DecideLogin(user, code string) supervisor.Decide {
	p := purposeLogin
	l := g.limits.Load()
	p.done = fmt.Sprintf("Unlocked for %s, or until you have sent nothing for %s. /lock locks at once.", formatDuration(l.Lifetime), formatDuration(l.IdleTimeout))
	return g.decide(user, code, p)
}

// DecideStepUp holds a code against a person's factor for one effect that needs a fresh one. That the gate is open does not
// help, and neither does the code that opened it.
func (g *Gate) DecideStepUp(user, code string) supervisor.Decide {
	return g.decide(user, code, purposeStepUp)
}

// DecideEnrol holds a code against a factor that was just made, to confirm it. It opens no gate.
func (g *Gate) DecideEnrol(user, code string) supervisor.Decide {
	return g.decide(user, code, purposeEnrol)
}

func (g *Gate) decide(user, code string, p purpose) supervisor.Decide {
	return func(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
		a := verification{seal: g.o.Seal, text: code, purpose: p}
		u, why := g.activeUser(user)
		if why != "" {
			return f, a.verdict(suffixRefused, why)
		}
		a.user = u
		return a.verify(f, now)
	}
}

// adminAlerts remember of whom the admins were told. The zero value is ready.
type adminAlerts struct {
	mu   sync.Mutex // guards what follows
	last map[string]time.Time
}

// alertInterval is how often the admins are told of the same person.
const alertInterval = time.Hour

// due tells whether they are to be told now.
func (a *adminAlerts) due(user string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, told := a.last[user]
	if told && !now.Before(last) && now.Sub(last) < alertInterval { // a clock that was set back silences nobody
		return false
	}
	if a.last == nil {
		a.last = map[string]time.Time{}
	}
	a.last[user] = now
	return true
}
