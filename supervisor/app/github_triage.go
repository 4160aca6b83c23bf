package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/github/triage"
)

// openTriages makes what has issues on GitHub sorted.
func (s *service) openTriages(context.Context) error {
	s.triages = triage.New(triage.Options{
		Store: s.db.Triages(), Issues: s.github, Writer: s.github, Repo: s.repo, Person: s.people.Find, Settle: s.config.GitHub.Triage.Settle,
		Begin: func(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error) {
			in, _, err := s.db.Inbox().Put(ctx, in)
			if err == nil {
				s.sessions.Wake(in.Conversation)
			}
			return in, err
		},
		Say: s.say, Now: s.now, Log: s.log.Named("triage"),
	})
	return nil
}

// say puts a notice into the outbox.
func (s *service) say(ctx context.Context, d supervisor.Delivery) error {
	said, err := s.db.Outbox().Say(ctx, d)
	if err == nil {
		s.deliveryQueued(said.Conversation.ID)
	}
	return err
}
