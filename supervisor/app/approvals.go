package app

import (
	"context"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/admin"
	"mews/supervisor/answer"
	"mews/supervisor/approval"
	"mews/supervisor/inbox"
	"mews/supervisor/question"
)

// newConfirmations makes the store of effects that wait for a code. The gate and the approvers use
// this store, so it is made before them.
func newConfirmations(s *service) *approval.Confirmations {
	return &approval.Confirmations{Conversations: s.db.Conversations(), Factors: s.db.UserAccessStores().Factors,
		Codes: s.db.Questions()}
}

// newGate makes the gate that checks every message, press and command of users.
func newGate(s *service) *approval.CodeGate {
	store := s.db.UserAccessStores()
	s.gate = access.NewGate(access.Options{
		People: s.people, Factors: store.Factors, Logins: store.Logins, Seal: s.seal, Limits: gateLimits(s.config), Now: s.now,
		Command:     func(name string) supervisor.SlashCommand { return s.commands.FindCommand(name) },
		Held:        s.db.Inbox().CountReleasableInbounds,
		AlertAdmins: func(_, text string) { s.tellAdmins(text) },
	})
	return &approval.CodeGate{Gate: s.gate, Confirmations: s.confirmations, IsCode: access.IsCode}
}

// maxWaiting is how many texts beyond the message rate may wait for each user. Two of Telegram's
// largest forwards, of 100 messages each, fit.
const maxWaiting = 200

// gateLimits converts the configured limits of logins and message rates.
func gateLimits(cfg *config.Config) access.GateLimits {
	a := cfg.Access
	return access.GateLimits{IdleTimeout: a.Session, Lifetime: a.SessionMax, Burst: a.Rate.Burst,
		PerSecond: a.Rate.Second, Waiting: maxWaiting}
}

// newApprover makes the part that decides which effects may leave the sandbox.
func newApprover(s *service) *approval.Approver {
	return &approval.Approver{
		FindUser: func(name string) (supervisor.User, bool) {
			u, ok := s.people.Find(name)
			return u, ok && !s.people.IsSuspended(name)
		},
		Policy: &s.policy, Grants: s.db.Grants(), Asker: s.questions, Confirmer: s.confirmations,
		Origins: s.db.Taints().Origins, QuestionChat: s.questionChat, Audit: s.audit.RecordAction,
	}
}

// questionAsker asks users a model's questions. It implements hostcall.Asker.
type questionAsker struct{ *service }

// Ask asks a question in its conversation. Times are in the user's zone, and words fit the channel.
func (a questionAsker) Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error) {
	c, _, err := a.db.Conversations().FindConversation(ctx, q.Conversation.ID)
	if err != nil {
		return q, err
	}
	q.Conversation, q.Ask.Zone = c, a.settings.Zone(c.User).String()
	q.Text = answer.QuestionText(q)
	return a.questions.Ask(ctx, q)
}

// setRules puts a configuration's rules about effects into force.
func (g *guards) setRules(cfg *config.Config) {
	table := approval.RuleTable{All: rulesOf(cfg.Approvals.All), Users: map[string]approval.Rules{},
		Roles: map[supervisor.Role]approval.Rules{
			supervisor.RoleAdmin: rulesOf(cfg.Approvals.Admin), supervisor.RoleUser: rulesOf(cfg.Approvals.User),
		}, Tainted: rulesOf(cfg.Approvals.Tainted)}
	for _, u := range cfg.Users {
		table.Users[u.Name] = rulesOf(u.Approvals)
	}
	g.policy.SetTable(table)
}

// rulesOf converts configured rules to those of package approval.
func rulesOf(r config.EffectRules) approval.Rules {
	rules := approval.Rules{}
	for effect, rule := range r {
		rules[effect] = approval.Rule(rule)
	}
	return rules
}

// guards are the checks of what users send, and of effects outside the sandbox.
type guards struct {
	seal          *access.Sealer // the key of second factors; nil if it can't be used
	gate          *access.Gate
	codeGate      inbox.Gate // the gate, which also accepts codes that confirm effects
	policy        approval.Policy
	questions     *question.Questions
	confirmations *approval.Confirmations // finds the effect that a code confirms
	audit         *admin.AuditWriter
}

// openGuards makes the audit log's writer, the questions, and the gate with its codes.
func (s *service) openGuards(context.Context) error {
	s.audit = admin.NewAuditWriter(s.db.Audit(), s.log.Named("audit"))
	s.setRules(s.config)
	s.questions = question.New(question.Options{Store: s.db.Questions(), Ends: s.db.Questions(), Audit: s.db.Audit(), Queued: s.deliveryQueued, Log: s.log.Named("question"),
		Resume: func(c supervisor.Conversation) { s.sessions.WakeSession(c) }, Ended: s.cleaningDue, Now: s.now,
		OpenFor: func() time.Duration { return s.configuration.Current().Chat.Question }})
	s.confirmations = newConfirmations(s)
	s.codeGate = newGate(s)
	return nil
}
