package app

import (
	"cmp"
	"context"
	"strings"

	"mews/supervisor"
	"mews/supervisor/github/review"
)

// openReviews makes what has pull requests on GitHub reviewed.
func (s *service) openReviews(context.Context) error {
	cfg := s.config.GitHub.Review
	s.reviews = review.New(review.Options{
		Store: s.db.Reviews(), API: s.github, Spool: s.spool, Repo: s.repo, Person: gitHubPeople{s}.Find, Approver: newApprover(s),
		Begun: func(in supervisor.Inbound) { s.sessions.Wake(in.Conversation) }, Say: s.say, Grow: s.grow, Name: s.gitHubName,
		Settle: cfg.Settle, Heads: cfg.Heads, Inline: cfg.Inline, Now: s.now, Log: s.log.Named("review"),
	})
	return nil
}

// grow adds a line to the messages that tell of a pull request.
func (s *service) grow(ctx context.Context, repo string, number int, line string) error {
	return s.events.Grow(ctx, repo, number, line)
}

// gitHubName is what people on GitHub call Mews by.
func (s *service) gitHubName() string {
	return cmp.Or(s.config.GitHub.Name, strings.TrimSuffix(s.gitHubLogin(), "[bot]"), "mews")
}
