package app

import (
	"context"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/approval"
	"mews/supervisor/budget"
	"mews/supervisor/command"
	"mews/supervisor/sqlite"
)

// newConfirmations makes what asks for codes before an effect. It comes before the gate and the approvers, which hold it.
func newConfirmations(s *Service) *approval.Confirmations {
	return approval.NewConfirmations(approval.ConfirmationsOptions{Conversations: s.db.Conversations(), Factors: s.db.Access().Factors,
		Outbox: s.db.Outbox(), Queued: s.feeds.Delivery, Now: s.moment})
}

// newGate makes the gate that everything meets which people send.
func newGate(s *Service) *approval.CodeCheck {
	store := s.db.Access()
	s.gate = access.NewGate(access.Options{
		People: s.people, Factors: store.Factors, Logins: store.Logins, Seal: s.seal, Limits: gateLimits(s.Config), Now: s.now,
		Command: command.Find, Held: s.db.Inbox().HeldAt, AlertAdmins: func(_, text string) { s.tellAdmins(text) },
	})
	return &approval.CodeCheck{Gate: s.gate, Confirmations: s.codes, IsCode: access.IsCode}
}

func gateLimits(cfg *config.Config) access.Limits {
	a := cfg.Access
	return access.Limits{IdleTimeout: a.Session, Lifetime: a.SessionMax, Burst: a.Rate.Burst, PerSecond: a.Rate.Second}
}

// newApprover makes what decides which effects leave the walls.
func newApprover(s *Service) *approval.Approver {
	return &approval.Approver{
		People: func(name string) (supervisor.User, bool) {
			u, ok := s.people.Find(name)
			return u, ok && !s.people.Suspended(name)
		},
		Policy: &s.policy, Grants: s.db.Grants(), Asker: s.asked, Confirmer: s.codes, Audit: s.audit.Note,
	}
}

// rules puts a configuration's rules about effects into force.
func (d *door) rules(cfg *config.Config) {
	table := approval.Table{All: rulesOf(cfg.Approvals.All), Users: map[string]approval.Rules{},
		Roles: map[supervisor.Role]approval.Rules{
			supervisor.RoleAdmin: rulesOf(cfg.Approvals.Admin), supervisor.RoleUser: rulesOf(cfg.Approvals.User),
		}}
	for _, u := range cfg.Users {
		table.Users[u.Name] = rulesOf(u.Approvals)
	}
	d.policy.Set(table)
}

func rulesOf(r config.EffectRules) approval.Rules {
	rules := approval.Rules{}
	for effect, rule := range r {
		rules[effect] = approval.Rule(rule)
	}
	return rules
}

// purse pays for the calls of a turn.
func (s *Service) purse(t supervisor.Turn) supervisor.Reserver {
	configured, known := s.people.Find(t.Conversation.User)
	if !known || !s.serves(t.Conversation) {
		return nothing{} // they were taken out while their turn waited
	}
	limits, err := s.settings.Limits(t.Conversation.User)
	if err != nil {
		s.Log.Error("find what a person may spend", "user", t.Conversation.User, "turn", t.ID, "error", err)
		return unread{err}
	}
	return budget.New(budget.Options{
		Leases: s.db.Leases(), Asker: s.asked, Turn: t.ID, Conversation: t.Conversation, Limits: limits,
		Zone: configured.Zone(), Installation: s.configuration.Current().Budget.Month.Micro, Now: s.now, Log: s.Log.Named("budget"),
	})
}

// nothing is the purse of somebody who is not served any more.
type nothing struct{}

// Reserve refuses.
func (nothing) Reserve(context.Context, supervisor.Estimate) (int64, error) {
	return 0, &supervisor.ModelError{Class: supervisor.ModelBudget, Err: &supervisor.Error{Code: supervisor.CodeForbidden,
		Message: "You may not speak here any more, so no model was asked."}}
}

// Return has nothing to give back.
func (nothing) Return(context.Context, int64) {}

// unread is the purse of somebody whose own limits could not be read. They may be lower than the configuration's, so nothing
// is paid.
type unread struct{ why error }

// Reserve refuses what may cost something.
func (u unread) Reserve(_ context.Context, b supervisor.Estimate) (int64, error) {
	if b.Priced && b.Worst <= 0 {
		return 0, nil
	}
	return 0, &supervisor.ModelError{Class: supervisor.ModelBudget, Err: &supervisor.Error{Code: supervisor.CodeUnavailable,
		Message: "What you may spend could not be read, so " + b.Spec + " was not asked. " + supervisor.ErrorMessage(u.why), Err: u.why}}
}

// Return has nothing to give back.
func (unread) Return(context.Context, int64) {}

// newPairing makes what lets in who has an invite's code.
func newPairing(s *Service) *pairing {
	return &pairing{
		people: s.people, refresh: s.configuration.Refresh, store: s.db.Access(), conversations: s.db.Conversations(), outbox: s.db.Outbox(),
		spool: s.spool, seal: s.seal, said: s.feeds.Delivery, audit: s.audit.Note,
	}
}

// answered is called when there is something in a conversation's outbox, and perhaps a message to be cleaned away.
func (s *Service) answered(conversation int64) {
	s.codes.Stored(conversation)
	s.feeds.Delivery(conversation)
	if s.channel != nil {
		s.channel.cleaner.Changed()
	}
}

// tellAdmins tells the admins of what only they can mend.
func (s *Service) tellAdmins(text string) {
	if s.channel != nil {
		s.channel.tellAdmins(text)
		return
	}
	s.Log.Error("health", "text", text)
}

// files are hostcall's Sender.
type files struct {
	turns sqlite.Turns
	said  func(conversation int64) // there is something in its outbox
}

// SendFile has a file delivered to the conversation of a turn.
func (f files) SendFile(ctx context.Context, turn int64, call string, file supervisor.File) error {
	in, err := f.turns.SendFile(ctx, turn, call, file)
	if in != 0 && err == nil {
		f.said(in)
	}
	return err
}

// Sent says whether a call has sent its file.
func (f files) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return f.turns.Sent(ctx, turn, call)
}
