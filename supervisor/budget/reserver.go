// Package budget pays for calls of models before they are made: each has as much set aside as it
// can cost, or as is left of what its turn, its person and the installation may spend. It costs no
// more than that.
package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// Leases are what is set aside.
type Leases interface {
	// Take sets a claim aside, or says which of its limits its least would exceed.
	Take(ctx context.Context, c supervisor.Claim) (lease supervisor.Lease, short []supervisor.Shortage, err error)
	// Trim has a lease be less; one that has ended stays so.
	Trim(ctx context.Context, lease, amount int64) error
	// Return gives back what was set aside for a call that cost nothing.
	Return(ctx context.Context, lease int64) error
	// Extend lengthens a person's limits, and audits that, unless that is more than they may.
	Extend(ctx context.Context, e supervisor.Extension) (done bool, err error)
	// Extended is by how much they did since a moment.
	Extended(ctx context.Context, user string, since time.Time) (int64, error)
}

// Asker asks a person. Its answer is the question once it has ended, and supervisor.ErrWaits while
// it has not; what nobody answers is denied.
type Asker interface {
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// Options are what a Reserver needs. Leases, Conversation, Destination and Turn are required.
type Options struct {
	Leases Leases
	Asker  Asker // nil: nobody can be asked, and a limit is the end
	// Advances are what turns have set aside as they started; nil: nothing.
	Advances *Advances
	Log      hclog.Logger

	Turn         int64                   // 0: there is none yet, and nobody is asked for more
	Conversation supervisor.Conversation // the turn's
	Destination  supervisor.Conversation // where its person is asked
	Limits       supervisor.Budget       // its person's, or with a Pot that one's
	// what pays; "" is the person. Nobody is asked to lengthen its limits
	Pot string
	// what its person's jobs may spend, Turn by one fire; the zero value where it is no job's turn
	Jobs  supervisor.Budget
	Admin bool           // its person may know what everybody has spent
	Zone  *time.Location // where their days begin; nil is the machine's own
	// what everybody may spend in a month of the machine's; 0 is no limit
	Installation int64
	Now          func() time.Time // nil is time.Now
}

// Reserver sets money aside for the calls of one turn, or for one before there is a turn. It is a
// modelcall.Reserver, and goes with the turn.
type Reserver struct {
	o Options
	// asking holds whether the person has said no in this turn. Whoever has taken it out is the one
	// who asks.
	asking chan bool
}

// New makes a turn's Reserver.
func New(o Options) *Reserver {
	o.Log, o.Zone = cmp.Or(o.Log, hclog.NewNullLogger()), cmp.Or(o.Zone, time.Local)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Advances == nil {
		o.Advances = &Advances{}
	}
	r := &Reserver{o: o, asking: make(chan bool, 1)}
	r.asking <- false
	return r
}

// Reserve sets aside what an attempt can cost, as modelcall.Reserver says. Where the limits of the
// turn or the day are too short for its least, and the person may lengthen them, they are asked.
// What costs nothing, and whoever has no limit, needs no lease.
func (r *Reserver) Reserve(ctx context.Context, e modelcall.Estimate) (lease supervisor.Lease, err error) {
	switch limited := len(r.limits()) > 0; {
	case !limited || e.Priced && e.MaxCost <= 0:
		return lease, nil
	case !e.Priced:
		return lease, budgetError(fmt.Sprintf(textUnpriced, e.Spec), nil)
	}
	e.MinCost = min(cmp.Or(e.MinCost, e.MaxCost), e.MaxCost)
	if r.o.Turn != 0 { // else it says nothing of what the next turn's call may cost
		r.o.Advances.remember(r.o.Conversation.ID, e)
	}
	lease, instead := r.o.Advances.take(r.o.Turn, e)
	if lease.ID != 0 {
		return lease, nil
	}
	lease, err = r.takeOrExtend(ctx, e, instead)
	switch failed := new(modelcall.Error); {
	case err == nil || errors.As(err, &failed):
		return lease, err
	case ctx.Err() != nil:
		return lease, context.Cause(ctx)
	}
	r.o.Log.Error("set aside what a call can cost", "user", r.o.Conversation.User, "turn", r.o.Turn, "error", err)
	return lease, budgetError(fmt.Sprintf(textNotReserved, e.Spec, problem.Message(err)), err)
}

// Return gives back what was set aside for an attempt that cost nothing, whether ctx has ended or
// not.
func (r *Reserver) Return(ctx context.Context, lease int64) {
	if lease == 0 {
		return
	}
	if err := r.o.Leases.Return(context.WithoutCancel(ctx), lease); err != nil {
		r.o.Log.Error("give back what was set aside", "user", r.o.Conversation.User, "turn", r.o.Turn, "error", err)
	}
	r.o.Advances.releases.Notify()
}

// Settled has those go on who wait for money.
func (r *Reserver) Settled(l supervisor.Lease, kept bool) {
	if !kept {
		r.o.Advances.releases.lose(r.o.Conversation.User, l.Amount)
	}
	r.o.Advances.releases.Notify()
}

// takeOrExtend takes a lease in the place of another (0 for none). Where there is too little, it
// waits first for the calls that run, if those can make up for it, and then asks the person.
func (r *Reserver) takeOrExtend(ctx context.Context, e modelcall.Estimate, instead int64) (lease supervisor.Lease, err error) {
	for {
		released := r.o.Advances.releases.Wait()
		lease, short, err := r.takeLease(ctx, e, instead)
		if err != nil || len(short) == 0 {
			return lease, err
		}
		instead = 0
		if !r.o.Advances.releases.cover(r.o.Conversation.User, short) {
			return r.reserveWithExtension(ctx, e)
		}
		if e.OnWait != nil {
			e.OnWait(textWaits)
			e.OnWait = nil
		}
		select {
		case <-released:
		case <-ctx.Done():
			return lease, context.Cause(ctx)
		}
	}
}

// takeLease takes a lease in the place of another (0 for none). Where there is too little, what
// others have beyond their need is taken back for it first.
func (r *Reserver) takeLease(ctx context.Context, e modelcall.Estimate, instead int64) (lease supervisor.Lease,
	short []supervisor.Shortage, err error) {
	for again := true; again && err == nil; {
		lease, short, err = r.o.Leases.Take(ctx, supervisor.Claim{User: r.o.Conversation.User, Conversation: r.o.Conversation.ID,
			Turn: r.o.Turn, Spec: e.Spec, Amount: e.MaxCost, Least: e.MinCost, Limits: r.limits(), Instead: instead, Pot: r.o.Pot})
		if err == nil && instead != 0 {
			r.o.Advances.replaced(r.o.Turn)
			instead = 0
		}
		if again = len(short) > 0; again {
			again, err = r.o.Advances.trim(ctx)
		}
	}
	return lease, short, err
}

// limits are those that there are. The ones that nobody can lengthen when asked come first.
func (r *Reserver) limits() []supervisor.Limit {
	now, most := r.o.Now(), r.o.Limits
	everybodys, _ := Month(now, time.Local)
	if r.o.Pot != "" {
		day, _ := Day(now, time.Local)
		return limited(
			supervisor.Limit{Scope: supervisor.ScopeInstallation, Max: r.o.Installation, Since: everybodys},
			supervisor.Limit{Scope: supervisor.ScopePot, Max: most.Day, Since: day},
			supervisor.Limit{Scope: supervisor.ScopeTurn, Max: most.Turn})
	}
	month, _ := Month(now, r.o.Zone)
	day, _ := Day(now, r.o.Zone)
	return limited(
		supervisor.Limit{Scope: supervisor.ScopeInstallation, Max: r.o.Installation, Since: everybodys},
		supervisor.Limit{Scope: supervisor.ScopeMonth, Max: most.Month, Since: month},
		supervisor.Limit{Scope: supervisor.ScopeDay, Max: most.Day, Since: day},
		supervisor.Limit{Scope: supervisor.ScopeJobMonth, Max: r.o.Jobs.Month, Since: month},
		supervisor.Limit{Scope: supervisor.ScopeJobDay, Max: r.o.Jobs.Day, Since: day},
		supervisor.Limit{Scope: supervisor.ScopeFire, Max: r.o.Jobs.Turn},
		supervisor.Limit{Scope: supervisor.ScopeTurn, Max: most.Turn})
}

// limited are those of some limits that there are.
func limited(all ...supervisor.Limit) []supervisor.Limit {
	return slices.DeleteFunc(all, func(l supervisor.Limit) bool { return l.Max <= 0 })
}
