package app

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/hostcall"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// reserver pays for the model calls of a turn.
func (s *service) reserver(t supervisor.Turn) hostcall.Reserver {
	o, served, err := s.budgetOf(t)
	switch {
	case err != nil:
		s.log.Error("find what a person may spend", "user", t.Conversation.User, "turn", t.ID, "error", err)
		return unreadableBudget{err}
	case !served:
		return deniedBudget{} // they were taken out while their turn waited
	}
	return budget.New(o)
}

// budgetOf is what a turn may spend, where its person is served.
func (s *service) budgetOf(t supervisor.Turn) (o budget.Options, served bool, err error) {
	configured, known := s.people.Find(t.Conversation.User)
	if !known || !s.serves(t.AnswersIn()) {
		return o, false, nil
	}
	if t.Kind.OneShot() {
		terms := s.readingTerms(t)
		return budget.Options{Leases: s.db.Leases(), Advances: s.advances, Turn: t.ID, Conversation: t.Conversation, Destination: t.AnswersIn(),
			Pot: terms.pot, Limits: supervisor.Budget{Turn: terms.turn, Day: terms.day}, Zone: timezone.Of(configured),
			Admin: configured.Role == supervisor.RoleAdmin, Installation: s.configuration.Current().Budget.Month.Micro, Now: s.now,
			Log: s.log.Named("budget")}, true, nil
	}
	limits, err := s.settings.Limits(t.Conversation.User)
	o = budget.Options{
		Leases: s.db.Leases(), Asker: s.asked, Advances: s.advances, Turn: t.ID, Conversation: t.Conversation, Destination: t.AnswersIn(),
		Limits: limits, Admin: configured.Role == supervisor.RoleAdmin, Zone: timezone.Of(configured), Installation: s.configuration.Current().Budget.Month.Micro, Now: s.now,
		Log: s.log.Named("budget"),
	}
	if t.Kind == supervisor.TurnJob {
		o.Asker, o.Jobs = nil, s.jobBudget(t.Conversation.User)
	}
	return o, true, err
}

// deniedBudget is the budget of somebody who is not served any more.
type deniedBudget struct{}

// Reserve refuses.
func (deniedBudget) Reserve(context.Context, modelcall.Estimate) (l supervisor.Lease, err error) {
	return l, &modelcall.Error{Class: modelcall.OverBudget,
		Err: &supervisor.Error{Code: supervisor.CodeForbidden, Message: textBudgetDenied}}
}

// Return has nothing to give back.
func (deniedBudget) Return(context.Context, int64) {}

// Settled has nobody to tell.
func (deniedBudget) Settled(supervisor.Lease, bool) {}

// unreadableBudget is the budget of somebody whose own limits could not be read. They may be lower
// than the configuration's, so nothing is paid.
type unreadableBudget struct{ why error }

// Reserve refuses what may cost something.
func (u unreadableBudget) Reserve(_ context.Context, e modelcall.Estimate) (l supervisor.Lease, err error) {
	if e.Priced && e.MaxCost <= 0 {
		return l, nil
	}
	return l, &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{Code: supervisor.CodeUnavailable, Err: u.why,
		Message: fmt.Sprintf(textBudgetUnreadable, e.Spec, problem.Message(u.why))}}
}

// Return has nothing to give back.
func (unreadableBudget) Return(context.Context, int64) {}

// Settled has nobody to tell.
func (unreadableBudget) Settled(supervisor.Lease, bool) {}
