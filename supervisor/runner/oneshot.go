package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/pool"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// OneShots run turns that only read: each in a worker of its own, which has no home and no tool,
// and ends with its turn.
type OneShots struct {
	Turns
	Place func() pool.Place
	Terms func(supervisor.Turn) ReadingTerms
	Audit func(user, action, detail string)
	// Await has take called with what the worker of a turn reports, until end is called.
	Await func(turn int64, take func(context.Context, protocol.ReviewReport) error) (end func())
}

// ReadingTerms are what holds for a turn that only reads.
type ReadingTerms struct {
	Model string // provider/model; "" is the default
	Pot   string
	// what it may cost, in millionths of a dollar, as day is what all of its pot may in a day; 0 is
	// no limit
	Turn int64
	Day  int64
	Time time.Duration
}

// Run has a worker of its own run an attempt at a turn that only reads, and report takes what that
// comes to: it is called before Run returns an end with WhyDone, and never otherwise.
func (o OneShots) Run(ctx context.Context, a session.Attempt, material protocol.BlobRef,
	report func(context.Context, protocol.ReviewReport) error) (session.End, error) {
	user, terms := a.Turn.Conversation.User, o.Terms(a.Turn)
	spec := pool.Spec{Key: fmt.Sprintf("%s/%d", a.Turn.Kind, a.Turn.ID), Profile: pool.ProfileReview,
		Place: o.Place(), Hello: &protocol.Hello{User: user}}
	worker, err := o.acquire(ctx, user, spec, nil)
	if err != nil {
		return session.End{}, err
	}
	defer worker.Release()
	var reported atomic.Bool
	a.Start.Material, a.Start.Limits.Seconds = &material, int64(terms.Time.Seconds())
	a.CheckEnd = o.checkEnd(ctx, a.Turn, &reported)
	defer o.Await(a.Turn.ID, func(ctx context.Context, r protocol.ReviewReport) error {
		err := report(ctx, r)
		reported.Store(err == nil)
		return err
	})()
	conn := worker.Host()
	conn.BeginTurn(hostcall.Turn{
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Destination: a.Turn.AnswersIn().ID, Kind: a.Turn.Kind,
		Model: terms.Model, Reply: a.Stream, Reserver: o.Reserver(a.Turn), Pot: terms.Pot, Material: material.SHA256,
	})
	end, err := call(ctx, worker, a)
	ended := conn.EndTurn(a.Turn.ID, end.Why)
	return session.End{TurnEnd: end, Failure: ended.Failure, Replaced: ended.Replaced, AnsweredBy: ended.AnsweredBy}, err
}

// checkEnd says what is wrong with an end that a worker reports, and has that audited.
func (o OneShots) checkEnd(ctx context.Context, t supervisor.Turn, reported *atomic.Bool) func(protocol.TurnEnd) error {
	return func(end protocol.TurnEnd) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case end.Why == protocol.WhyDone && reported.Load(), end.Why == protocol.WhyTime:
			return nil
		}
		err := errors.New("the worker ended the turn without a report")
		o.Audit(t.Conversation.User, "worker.offence", fmt.Sprintf("turn %d: %v", t.ID, err))
		return err
	}
}

// ByKind runs attempts by the kinds of their turns.
type ByKind map[supervisor.TurnKind]session.Runner

// Run has the runner of the turn's kind run an attempt.
func (r ByKind) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	runner, known := r[a.Turn.Kind]
	if !known {
		return session.End{TurnEnd: protocol.TurnEnd{Why: protocol.WhyError},
			Failure: supervisor.Errorf(supervisor.CodeInternal, textNoRunner, a.Turn.Kind)}, nil
	}
	return runner.Run(ctx, a)
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
