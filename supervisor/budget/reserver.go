// Package budget pays for calls of models in advance. For each call it sets aside the most that the
// call can cost. If the limits of the turn, the user or the installation allow less, it sets aside
// all that they allow. A call never costs more than its lease.
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

// Leases stores the leases.
type Leases interface {
	// TakeLease stores a lease for a claim. If a limit does not allow the claim's minimum, it
	// returns the limits that are too low.
	TakeLease(ctx context.Context, c supervisor.LeaseRequest) (lease supervisor.Lease,
		short []supervisor.BudgetShortage, err error)
	// LowerLease lowers the amount of a lease. A lease that has ended stays as it is.
	LowerLease(ctx context.Context, lease, amount int64) error
	// ReturnLease ends the lease of a call that cost nothing.
	ReturnLease(ctx context.Context, lease int64) error
	// ExtendLimits extends a user's limits and writes to the audit log. It does nothing if the
	// extension exceeds the allowed maximum.
	ExtendLimits(ctx context.Context, e supervisor.LimitExtension) (done bool, err error)
	// SumLimitExtensions returns the sum of a user's extensions since a time.
	SumLimitExtensions(ctx context.Context, user string, since time.Time) (int64, error)
}

// Asker asks a user. It returns the question if that has ended, and supervisor.ErrWaitsForAnswer
// until then. An unanswered question counts as denied.
type Asker interface {
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// Options configures a Reserver. Leases, Conversation, Destination and Turn are required.
type Options struct {
	Leases Leases
	Asker  Asker // nil means that limits are final and no user is asked
	// Advances holds the money that turns set aside at their start; nil means none.
	Advances *Advances
	Log      hclog.Logger

	Turn         int64                   // turn's id; 0 means a call before its turn, without questions to the user
	Conversation supervisor.Conversation // the conversation of the turn
	Destination  supervisor.Conversation // the conversation for questions to the user
	Limits       supervisor.Budget       // the limits of the user, or of Pot
	Kind         supervisor.TurnKind     // the turn's kind; "" means a chat
	// the pot that pays; "" means the user; a pot's limits can't be extended
	Pot string
	// daily limit for the reviews and triages that the user requested, for use with Pot; 0 means no
	// limit
	Requested int64
	// limits of the user's jobs, where the field Turn is the limit of one fire; zero if no job
	// began the turn
	Jobs  supervisor.Budget
	Admin bool           // the user may see the spending of all users
	Zone  *time.Location // the time zone of the user's days; nil means the machine's
	// limit for all users in a month of the machine's time zone; 0 means no limit
	Installation int64
	Now          func() time.Time // returns the current time; nil means time.Now
}

// Reserver sets money aside for the calls of one turn, or for a call before its turn. It implements
// modelcall.Reserver, and lives as long as the turn.
type Reserver struct {
	o Options
	// asking holds whether the user has denied an extension in this turn. A goroutine may ask only
	// after it has received the value.
	asking chan bool
}

// New returns a turn's Reserver.
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

// Reserve sets aside the most that an attempt can cost. See modelcall.Reserver. If the limits of
// the turn or the day are too low, and the user may extend them, Reserve asks the user. Free calls,
// and users without limits, need no lease.
func (r *Reserver) Reserve(ctx context.Context, e modelcall.CostEstimate) (lease supervisor.Lease, err error) {
	switch limited := len(r.limits()) > 0; {
	case !limited || e.Priced && e.MaxCost <= 0:
		return lease, nil
	case !e.Priced:
		return lease, budgetError(fmt.Sprintf(textUnpriced, e.Spec), nil)
	}
	e.MinCost = min(cmp.Or(e.MinCost, e.MaxCost), e.MaxCost)
	if e.External {
		return r.explained(ctx, e, 0)
	}
	if r.o.Turn != 0 { // a call outside a turn tells nothing about the cost of the next turn's call
		r.o.Advances.remember(r.o.Conversation.ID, e)
	}
	if e.Repeats {
		e.MinCost = e.MaxCost
	}
	lease, instead := r.o.Advances.take(r.o.Turn, e)
	if lease.ID != 0 {
		return lease, nil
	}
	return r.explained(ctx, e, instead)
}

// explained takes a lease like takeOrExtend. Its errors are for users.
func (r *Reserver) explained(ctx context.Context, e modelcall.CostEstimate, instead int64) (lease supervisor.Lease,
	err error) {
	lease, err = r.takeOrExtend(ctx, e, instead)
	switch failed := new(modelcall.Error); {
	case err == nil || errors.As(err, &failed) || errors.Is(err, supervisor.ErrWaitsForAnswer):
		return lease, err
	case ctx.Err() != nil:
		return lease, context.Cause(ctx)
	}
	r.o.Log.Error("set aside what a call can cost", "user", r.o.Conversation.User, "turn", r.o.Turn, "error", err)
	return lease, budgetError(fmt.Sprintf(textNotReserved, e.Spec, problem.UserText(err)), err)
}

// ReturnLease returns the money of an attempt that cost nothing, even if ctx has ended.
func (r *Reserver) ReturnLease(ctx context.Context, lease int64) {
	if lease == 0 {
		return
	}
	if err := r.o.Leases.ReturnLease(context.WithoutCancel(ctx), lease); err != nil {
		r.o.Log.Error("give back what was set aside", "user", r.o.Conversation.User, "turn", r.o.Turn, "error", err)
	}
	r.o.Advances.releases.Notify()
}

// OnSettled wakes the calls that lack money.
func (r *Reserver) OnSettled(l supervisor.Lease, kept bool) {
	if !kept {
		r.o.Advances.releases.lose(r.o.Conversation.User, l.Amount)
	}
	r.o.Advances.releases.Notify()
}

// takeOrExtend takes a lease. The parameter instead is the id of the lease that the new lease
// replaces; 0 means none. If money is short, takeOrExtend first waits for running calls that may
// free enough. Then it asks the user.
func (r *Reserver) takeOrExtend(ctx context.Context, e modelcall.CostEstimate, instead int64) (lease supervisor.Lease,
	err error) {
	for {
		released := r.o.Advances.releases.Wait()
		lease, short, err := r.takeLease(ctx, e, instead)
		if err != nil || len(short) == 0 {
			return lease, err
		}
		if e.Repeats {
			return lease, r.refused(e, short, "")
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

// takeLease takes a lease. The parameter instead is the id of the lease that the new lease
// replaces; 0 means none. If money is short, takeLease first takes back the surplus of other
// leases.
func (r *Reserver) takeLease(ctx context.Context, e modelcall.CostEstimate, instead int64) (lease supervisor.Lease,
	short []supervisor.BudgetShortage, err error) {
	for again := true; again && err == nil; {
		lease, short, err = r.o.Leases.TakeLease(ctx, supervisor.LeaseRequest{User: r.o.Conversation.User,
			Conversation: r.o.Conversation.ID,
			Turn:         r.o.Turn, Spec: e.Spec, Amount: e.MaxCost, Least: e.MinCost, Limits: r.limits(), ReplacedLease: instead, Pot: r.o.Pot})
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

// limits returns the configured limits. Limits that cannot be extended come first.
func (r *Reserver) limits() []supervisor.SpendingLimit {
	now, most := r.o.Now(), r.o.Limits
	everybodys, _ := MonthBounds(now, time.Local)
	if r.o.Pot != "" {
		day, _ := DayBounds(now, time.Local)
		own, _ := DayBounds(now, r.o.Zone)
		return limited(
			supervisor.SpendingLimit{Scope: supervisor.ScopeInstallation, Max: r.o.Installation, Since: everybodys},
			supervisor.SpendingLimit{Scope: supervisor.ScopePot, Max: most.Day, Since: day},
			supervisor.SpendingLimit{Scope: supervisor.ScopeRequestedWork, Max: r.o.Requested, Since: own},
			supervisor.SpendingLimit{Scope: supervisor.ScopeTurn, Max: most.Turn})
	}
	month, _ := MonthBounds(now, r.o.Zone)
	day, _ := DayBounds(now, r.o.Zone)
	return limited(
		supervisor.SpendingLimit{Scope: supervisor.ScopeInstallation, Max: r.o.Installation, Since: everybodys},
		supervisor.SpendingLimit{Scope: supervisor.ScopeMonth, Max: most.Month, Since: month},
		supervisor.SpendingLimit{Scope: supervisor.ScopeDay, Max: most.Day, Since: day},
		supervisor.SpendingLimit{Scope: supervisor.ScopeJobMonth, Max: r.o.Jobs.Month, Since: month},
		supervisor.SpendingLimit{Scope: supervisor.ScopeJobDay, Max: r.o.Jobs.Day, Since: day},
		supervisor.SpendingLimit{Scope: supervisor.ScopeFire, Max: r.o.Jobs.Turn},
		supervisor.SpendingLimit{Scope: supervisor.ScopeTurn, Max: most.Turn})
}

// limited returns those of the given limits that are above 0, because 0 means no limit.
func limited(all ...supervisor.SpendingLimit) []supervisor.SpendingLimit {
	return slices.DeleteFunc(all, func(l supervisor.SpendingLimit) bool { return l.Max <= 0 })
}
