// Package budget pays for calls of models before they are made: each has the most that it can cost set aside against what
// its turn, its person and the installation may spend.
package budget

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Leases are what is set aside.
type Leases interface {
	// Take sets a claim aside, or says which of its limits that would exceed.
	Take(ctx context.Context, c supervisor.Claim) (lease int64, short []supervisor.Shortage, err error)
	// Return gives back what was set aside for a call that cost nothing.
	Return(ctx context.Context, lease int64) error
	// Extend lengthens a person's limits, and audits that, unless that is more than they may.
	Extend(ctx context.Context, e supervisor.Extension) (done bool, err error)
	// Extended is by how much they did since a moment.
	Extended(ctx context.Context, user string, since time.Time) (int64, error)
}

// Asker asks a person and waits for the answer; what nobody answers is denied.
type Asker interface {
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Answer, error)
}

// Options are what a Reserver needs. Leases, Conversation and Turn are required.
type Options struct {
	Leases Leases
	Asker  Asker // nil: nobody can be asked, and a limit is the end
	Log    hclog.Logger

	Turn         int64
	Conversation supervisor.Conversation // the turn's
	Limits       supervisor.Budget       // its person's
	Zone         *time.Location          // where their days begin; nil is the machine's own
	Installation int64                   // what everybody may spend in a month of the machine's; 0 is no limit
	Now          func() time.Time        // nil is time.Now
}

// Reserver pays for the calls of one turn. It is a supervisor.Reserver, and goes with the turn.
type Reserver struct {
	o Options
	// asking holds whether the person has said no in this turn. Whoever has taken it out is the one who asks.
	asking chan bool
}

// New makes a turn's Reserver.
func New(o Options) *Reserver {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Reserver{o: o, asking: make(chan bool, 1)}
	p.asking <- false
	return p
}

// Reserve sets aside the most that an attempt can cost. Where the limits of the turn or the day are too short for it, and
// the person may lengthen them, they are asked. What costs nothing, and whoever has no limit, needs no lease.
func (p *Reserver) Reserve(ctx context.Context, b supervisor.Estimate) (lease int64, err error) {
	limits := p.limits()
	switch {
	case len(limits) == 0 || b.Priced && b.Worst <= 0:
		return 0, nil
	case !b.Priced:
		return 0, budgetError(textUnpriced(b.Spec), nil)
	}
	lease, short, err := p.take(ctx, b)
	if err == nil && len(short) > 0 {
		lease, err = p.askForMore(ctx, b)
	}
	return lease, p.callerError(ctx, b, err)
}

// Return gives back what was set aside for an attempt that cost nothing, whether ctx has ended or not.
func (p *Reserver) Return(ctx context.Context, lease int64) {
	if lease == 0 {
		return
	}
	if err := p.o.Leases.Return(context.WithoutCancel(ctx), lease); err != nil {
		p.o.Log.Error("give back what was set aside", "user", p.o.Conversation.User, "turn", p.o.Turn, "error", err)
	}
}

func (p *Reserver) take(ctx context.Context, b supervisor.Estimate) (int64, []supervisor.Shortage, error) {
	return p.o.Leases.Take(ctx, supervisor.Claim{User: p.o.Conversation.User, Conversation: p.o.Conversation.ID,
		Turn: p.o.Turn, Spec: b.Spec, Amount: b.Worst, Limits: p.limits()})
}

// limits are those that there are, the ones first that nobody can lengthen when asked.
func (p *Reserver) limits() (list []supervisor.Limit) {
	now, most := p.o.Now(), p.o.Limits
	everybodys, _ := Month(now, time.Local)
	month, _ := Month(now, p.o.Zone)
	day, _ := Day(now, p.o.Zone)
	for _, l := range []supervisor.Limit{
		{Scope: supervisor.ScopeInstallation, Max: p.o.Installation, Since: everybodys},
		{Scope: supervisor.ScopeMonth, Max: most.Month, Since: month},
		{Scope: supervisor.ScopeDay, Max: most.Day, Since: day},
		{Scope: supervisor.ScopeTurn, Max: most.Turn},
	} {
		if l.Max > 0 {
			list = append(list, l)
		}
	}
	return list
}

// callerError makes an error what Reserve's caller expects: ctx's cause, or a *ModelError.
func (p *Reserver) callerError(ctx context.Context, b supervisor.Estimate, err error) error {
	failed := new(supervisor.ModelError)
	switch {
	case err == nil || errors.As(err, &failed):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	p.o.Log.Error("set aside what a call can cost", "user", p.o.Conversation.User, "turn", p.o.Turn, "error", err)
	return budgetError("It could not be kept what "+b.Spec+" may cost, so it was not asked. "+supervisor.ErrorMessage(err), err)
}
