package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/github/review"
	"mews/supervisor/github/triage"
	"mews/supervisor/hostcall"
	"mews/supervisor/pool"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// oneShots run turns that only read: each in a worker of its own, which has no home and no tool,
// and ends with its turn.
type oneShots struct {
	turns
	place func() pool.Place
	terms func(supervisor.Turn) readingTerms
	audit func(user, action, detail string)

	reports *github.Reports // of their workers
}

// readingTerms are what holds for a turn that only reads.
type readingTerms struct {
	model string // provider/model; "" is the default
	pot   string
	// what it may cost, in millionths of a dollar, as day is what all of its pot may in a day; 0 is
	// no limit
	turn int64
	day  int64
	time time.Duration
}

// triageTime is how long a triage may take: it is one call of a model.
const triageTime = 5 * time.Minute

// ownDiffsDay is what reviews of diffs that are no repository's may cost in a day together: as much
// as those of a repository, unless that is configured.
const ownDiffsDay = 5_000_000

// readingTerms are those of the repository in whose conversation a turn runs.
func (s *service) readingTerms(t supervisor.Turn) readingTerms {
	cfg := s.configuration.Current()
	review, triage := cfg.GitHub.Review, cfg.GitHub.Triage
	terms := readingTerms{model: review.Model, turn: review.Budget.Micro, time: review.Timeout, pot: "review/" + t.Conversation.Chat, day: ownDiffsDay}
	if t.Kind == supervisor.TurnTriage {
		terms.model, terms.turn, terms.time = cmp.Or(triage.Model, cfg.Models.Small), triage.Budget.Micro, triageTime
	}
	for name, repo := range cfg.GitHub.Repos {
		if supervisor.GitHubRepoName(name) == supervisor.GitHubRepoName(t.Conversation.Chat) {
			terms.day = repo.Day.Micro
		}
	}
	return terms
}

func (s *service) oneShots() oneShots {
	return oneShots{turns: s.turns(), place: s.places.NoHome, terms: s.readingTerms, audit: s.audit.Note,
		reports: &s.gitHub.Reports}
}

// Run has a worker of its own run an attempt at a turn that only reads, and report takes what that
// comes to: it is called before Run returns an end with WhyDone, and never otherwise.
func (o oneShots) Run(ctx context.Context, a session.Attempt, material protocol.BlobRef,
	report func(context.Context, protocol.ReviewReport) error) (session.End, error) {
	user, terms := a.Turn.Conversation.User, o.terms(a.Turn)
	spec := pool.Spec{Key: fmt.Sprintf("%s/%d", a.Turn.Kind, a.Turn.ID), Profile: pool.ProfileReview, Place: o.place(), Hello: &protocol.Hello{User: user}}
	worker, err := o.acquire(ctx, user, spec, nil)
	if err != nil {
		return session.End{}, err
	}
	defer worker.Release()
	var reported atomic.Bool
	a.Start.Material, a.Start.Limits.Seconds = &material, int64(terms.time.Seconds())
	a.CheckEnd = o.checkEnd(ctx, a.Turn, &reported)
	defer o.reports.Await(a.Turn.ID, func(ctx context.Context, r protocol.ReviewReport) error {
		err := report(ctx, r)
		reported.Store(err == nil)
		return err
	})()
	conn := worker.Host()
	conn.BeginTurn(hostcall.Turn{
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Destination: a.Turn.AnswersIn().ID, Kind: a.Turn.Kind, Model: terms.model,
		Reply: a.Stream, Reserver: o.purses(a.Turn), Pot: terms.pot, Material: material.SHA256,
	})
	end, err := call(ctx, worker, a)
	ended := conn.EndTurn(a.Turn.ID, end.Why)
	return session.End{TurnEnd: end, Failure: ended.Failure, Replaced: ended.Replaced, Answered: ended.Answered}, err
}

// checkEnd says what is wrong with an end that a worker reports, and has that audited.
func (o oneShots) checkEnd(ctx context.Context, t supervisor.Turn, reported *atomic.Bool) func(protocol.TurnEnd) error {
	return func(end protocol.TurnEnd) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case end.Why == protocol.WhyDone && reported.Load(), end.Why == protocol.WhyTime:
			return nil
		}
		err := errors.New("the worker ended the turn without a report")
		o.audit(t.Conversation.User, "worker.offence", fmt.Sprintf("turn %d: %v", t.ID, err))
		return err
	}
}

// runners run attempts by the kinds of their turns.
type runners map[supervisor.TurnKind]session.Runner

// Run has the runner of the turn's kind run an attempt.
func (r runners) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	runner, known := r[a.Turn.Kind]
	if !known {
		return session.End{TurnEnd: protocol.TurnEnd{Why: protocol.WhyError}, Failure: supervisor.Errorf(supervisor.CodeInternal, textNoRunner, a.Turn.Kind)}, nil
	}
	return runner.Run(ctx, a)
}

// runners are those of all kinds of turns.
func (s *service) runners() runners {
	persons := s.turns()
	return runners{supervisor.TurnChat: persons, supervisor.TurnJob: persons, supervisor.TurnMCP: persons,
		supervisor.TurnReview: reading[review.Reader]{s, s.gitHub.Review},
		supervisor.TurnTriage: reading[triage.Reader]{s, s.gitHub.Triage}}
}

// keepMaterial puts what a turn is to read into the spool.
func keepMaterial(kept *spool.Spool, m protocol.ReviewMaterial) (protocol.BlobRef, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return protocol.BlobRef{}, err
	}
	return kept.Keep("material.json", text)
}

// endWithCard ends a turn whose worker has only reported: its last word is a card, which no model
// has said.
func endWithCard(ctx context.Context, turns sqlite.Turns, a session.Attempt, card string) (session.End, error) {
	_, err := turns.CommitStep(ctx, sqlite.Step{Turn: a.Turn.ID, Charged: true,
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Text: card}}}})
	a.Stream.Commit(card)
	return session.End{TurnEnd: protocol.TurnEnd{Why: protocol.WhyDone, Steps: 1}}, err
}
