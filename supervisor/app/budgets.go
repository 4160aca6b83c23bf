package app

import (
	"context"
	"mews/config"
	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/hostcall"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/usage"

	"slices"
)

// newReserver returns the reserver that pays for a turn's model calls.
func (s *service) newReserver(t supervisor.Turn) hostcall.Reserver {
	o, served, err := s.budgetOf(t)
	switch {
	case err != nil:
		s.log.Error("read a user's budget", "user", t.Conversation.User, "turn", t.ID, "error", err)
		return budget.DenyPaidReserver{Why: err}
	case !served:
		return budget.DenyAllReserver{} // the user was removed while the turn waited
	}
	return budget.New(o)
}

// budgetOf returns the budget of a turn. served is false if its user may not use the service.
func (s *service) budgetOf(t supervisor.Turn) (o budget.Options, served bool, err error) {
	configured, known := s.people.Find(t.Conversation.User)
	if !known || !s.serves(t.AnswerConversation()) {
		return o, false, nil
	}
	if t.Kind.IsOneShot() {
		terms := s.readingTerms(t)
		requested, err := s.requestLimit(t, configured.Role)
		return budget.Options{Leases: s.db.Leases(), Advances: s.advances, Turn: t.ID, Conversation: t.Conversation,
			Destination: t.AnswerConversation(),
			Kind:        t.Kind, Pot: terms.Pot, Requested: requested,
			Limits: supervisor.Budget{Turn: terms.Turn, Day: terms.Day}, Zone: timezone.ForUser(configured),
			Admin: configured.Role == supervisor.RoleAdmin, Installation: s.configuration.Current().Budget.Month.Micro, Now: s.now,
			Log: s.log.Named("budget")}, true, err
	}
	limits, err := s.settings.BudgetLimits(t.Conversation.User)
	o = budget.Options{
		Leases: s.db.Leases(), Asker: s.questions, Advances: s.advances, Turn: t.ID, Conversation: t.Conversation,
		Destination: t.AnswerConversation(),
		Limits:      limits, Admin: configured.Role == supervisor.RoleAdmin, Zone: timezone.ForUser(configured), Installation: s.configuration.Current().Budget.Month.Micro, Now: s.now,
		Log: s.log.Named("budget"),
	}
	if t.Kind == supervisor.TurnJob {
		o.Asker, o.Jobs = nil, s.jobBudget(t.Conversation.User)
	}
	return o, true, err
}

// requestLimit returns the daily limit of the reviews and triages that a user requests. It is 0 (no
// limit) for admins, and for turns that the user did not request.
func (s *service) requestLimit(t supervisor.Turn, role supervisor.Role) (int64, error) {
	if role == supervisor.RoleAdmin {
		return 0, nil
	}
	in, _, err := s.db.Inbox().Find(context.Background(), t.Conversation.User, t.Inbound)
	if err != nil || in.Source != supervisor.SourceGitHubWorkRequest {
		return 0, err
	}
	return s.configuration.Current().GitHub.Review.Person.Micro, nil
}

// payer returns the part that pays for model calls outside of turns.
func (s *service) payer() usage.Payer {
	return usage.Payer{Models: s.models, Store: s.db.Usage(),
		Reserver: func(t supervisor.Turn) usage.MoneyReserver { return s.newReserver(t) }}
}

// jobBudget returns the limits for what a user's jobs may cost.
func (s *service) jobBudget(user string) supervisor.Budget {
	cfg := s.configuration.Current()
	jobs := cfg.Budget.Users.Jobs // limits for users that the configuration does not name
	if i := slices.IndexFunc(cfg.Users, func(u config.User) bool { return u.Name == user }); i >= 0 {
		jobs = cfg.Users[i].Budget.Jobs
	}
	return supervisor.Budget{Turn: jobs.Run.Micro, Day: jobs.Day.Micro, Month: jobs.Month.Micro}
}
