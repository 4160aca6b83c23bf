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

// OneShotTurns runs turns that only read, such as reviews. Each turn has its own worker, which has
// no home and no tools, and ends with the turn.
type OneShotTurns struct {
	Turns
	Location func() pool.WorkerLocation
	Terms    func(supervisor.Turn) ReadOnlyTurnPolicy
	Audit    func(user, action, detail string)
	// Await calls take with the reports of a turn's worker, until end is called.
	Await func(turn int64, take func(context.Context, protocol.ReviewReport) error) (end func())
}

// ReadOnlyTurnPolicy are the model and the limits of a turn that only reads.
type ReadOnlyTurnPolicy struct {
	Model string // spec of the model, as provider/model; "" means the default model
	Pot   string
	// Turn limits the cost of the turn, and Day the daily cost of its pot. Both are in millionths
	// of a dollar; 0 means no limit.
	Turn int64
	Day  int64
	Time time.Duration
	// the small model continues if the money does not cover Model; false means that the turn ends
	// there
	Small bool
}

// Run runs an attempt at a turn that only reads, in its own worker. If the worker reports, Run
// calls report before it returns an end with TurnEndDone; otherwise Run never calls it.
func (o OneShotTurns) Run(ctx context.Context, a session.Attempt, material protocol.BlobRef,
	report func(context.Context, protocol.ReviewReport) error) (session.AttemptEnd, error) {
	user, terms := a.Turn.Conversation.User, o.Terms(a.Turn)
	spec := pool.WorkerSpec{Key: fmt.Sprintf("%s/%d", a.Turn.Kind, a.Turn.ID), Profile: pool.ProfileReview,
		Location: o.Location(), Hello: &protocol.Hello{User: user}}
	worker, err := o.acquire(ctx, user, spec, nil)
	if err != nil {
		return session.AttemptEnd{}, err
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
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Destination: a.Turn.AnswerConversation().ID,
		Kind:  a.Turn.Kind,
		Model: terms.Model, Reply: a.Stream, Reserver: o.Reserver(a.Turn), Pot: terms.Pot, Material: material.SHA256,
		EndWithMoney: !terms.Small,
	})
	end, err := call(ctx, worker, a)
	ended := conn.EndTurn(a.Turn.ID, end.Why)
	return session.AttemptEnd{TurnEnd: end, Failure: ended.Failure, Replaced: ended.Replaced,
			AnsweredBy: ended.AnsweredBy,
			Tokens:     ended.Tokens, Cost: ended.Cost, Lost: err != nil && pool.IsSpawnerLost(worker.Err())},
		err
}

// checkEnd returns a function that checks the end that a worker reports. An end without a review
// report is an error, and is audited.
func (o OneShotTurns) checkEnd(ctx context.Context, t supervisor.Turn,
	reported *atomic.Bool) func(protocol.TurnEnd) error {
	return func(end protocol.TurnEnd) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case end.Why == protocol.TurnEndDone && reported.Load(), end.Why == protocol.TurnEndTimeLimit:
			return nil
		}
		err := errors.New("the worker ended the turn without a report")
		o.Audit(t.Conversation.User, "worker.offence", fmt.Sprintf("turn %d: %v", t.ID, err))
		return err
	}
}

// RunnersByKind maps each kind of turn to its runner.
type RunnersByKind map[supervisor.TurnKind]session.Runner

// Run runs an attempt with the runner of its turn's kind.
func (r RunnersByKind) Run(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	runner, known := r[a.Turn.Kind]
	if !known {
		return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndError},
			Failure: supervisor.Errorf(supervisor.CodeInternal, textNoRunner, a.Turn.Kind)}, nil
	}
	return runner.Run(ctx, a)
}

// keepMaterial stores the material that a turn reads in the spool.
func keepMaterial(kept *spool.Spool, m protocol.ReviewMaterial) (protocol.BlobRef, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return protocol.BlobRef{}, err
	}
	return kept.StoreBytes("material.json", text)
}

// endWithCard ends a turn whose worker has only reported. The answer is a card, which is not
// written by a model.
func endWithCard(ctx context.Context, turns sqlite.Turns, a session.Attempt, card string) (session.AttemptEnd, error) {
	_, err := turns.CommitStep(ctx, sqlite.Step{Turn: a.Turn.ID, Charged: true,
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: card}}}})
	a.Stream.CommitStep(card)
	return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 1}}, err
}
