package app

import (
	"cmp"
	"context"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/review"
	"mews/supervisor/github/triage"
	"mews/supervisor/runner"
)

// triageTimeout limits a triage, which is one model call.
const triageTimeout = 5 * time.Minute

// localDiffsPerDay is the daily budget for reviews of diffs without a repository, in millionths of
// a dollar. A repository's default budget is the same.
const localDiffsPerDay = 5_000_000

// readingTerms returns the model and the limits of a review or triage. Both depend on the turn's
// repository.
func (s *service) readingTerms(t supervisor.Turn) runner.ReadOnlyTurnPolicy {
	cfg := s.configuration.Current()
	review, triage := cfg.GitHub.Review, cfg.GitHub.Triage
	terms := runner.ReadOnlyTurnPolicy{Model: review.Model, Turn: review.Budget.Micro, Time: review.Timeout,
		Pot: "review/" + t.Conversation.Chat, Day: localDiffsPerDay, Small: review.Small}
	if t.Kind == supervisor.TurnTriage {
		terms.Small = false
		terms.Model, terms.Turn, terms.Time = cmp.Or(triage.Model, cfg.Models.Small), triage.Budget.Micro, triageTimeout
	}
	for name, repo := range cfg.GitHub.Repos {
		if supervisor.NormalizeRepoName(name) == supervisor.NormalizeRepoName(t.Conversation.Chat) {
			terms.Day = repo.Day.Micro
		}
	}
	return terms
}

// runners maps each kind of turn to its runner.
func (s *service) runners() runner.RunnersByKind {
	persons, steps := s.turns(), s.db.Turns()
	ones := runner.OneShotTurns{Turns: persons, Location: s.locations.LocationWithoutHome, Terms: s.readingTerms,
		Audit: s.audit.RecordAction,
		Await: func(turn int64, take func(context.Context, protocol.ReviewReport) error) func() {
			return s.gitHub.ReportReceiver.AwaitReport(turn, take)
		}}
	return runner.RunnersByKind{supervisor.TurnChat: persons, supervisor.TurnJob: persons, supervisor.TurnMCP: persons,
		supervisor.TurnReview: runner.ReadOnlyTurns[review.MaterialReader]{OneShotTurns: ones, Spool: s.spool,
			Steps: steps,
			Work:  s.gitHub.RunReview},
		supervisor.TurnTriage: runner.ReadOnlyTurns[triage.MaterialReader]{OneShotTurns: ones, Spool: s.spool,
			Steps: steps,
			Work:  s.gitHub.RunTriage}}
}
