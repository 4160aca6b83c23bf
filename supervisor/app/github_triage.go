package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/triage"
	"mews/supervisor/session"
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
		Say: func(ctx context.Context, d supervisor.Delivery) error {
			said, err := s.db.Outbox().Say(ctx, d)
			if err == nil {
				s.deliveryQueued(said.Conversation.ID)
			}
			return err
		},
		Now: s.now, Log: s.log.Named("triage"),
	})
	return nil
}

// triager runs attempts at the turns of issues.
type triager struct{ *service }

// Run has an issue be read by a worker of its own, and does what comes of that. The turn ends with its card.
func (s triager) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	card, err := s.triages.Work(ctx, a.Turn, func(ctx context.Context, m protocol.ReviewMaterial) (r protocol.ReviewReport, err error) {
		material, err := keepMaterial(s.spool, m)
		if err != nil {
			return r, err
		}
		end, err := s.oneShots().Run(ctx, a, material, func(_ context.Context, reported protocol.ReviewReport) error {
			r = reported
			return nil
		})
		if err == nil && end.Why != protocol.WhyDone {
			err = supervisor.Errorf(supervisor.CodeModel, textReadTooLong)
		}
		return r, err
	})
	if err != nil {
		return session.End{}, err
	}
	return endWithCard(ctx, s.db.Turns(), a, card)
}
