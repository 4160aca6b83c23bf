// Package runner runs the attempts at turns: it gives each attempt to a worker and waits for its
// end.
package runner

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/pool"
	"mews/supervisor/session"
)

const (
	// overtime is how long a worker may take to end a turn after its time limit.
	overtime = 15 * time.Second
	// refusedRetry is the pause before the next start of a worker that could not start.
	refusedRetry = 15 * time.Second
	// deathTimeout is how long to wait for the end of a killed worker. The pool's own steps take
	// less.
	deathTimeout = 15 * time.Second
)

// Pool and Worker have a hostcall.Conn that answers the worker's host calls.
type (
	Pool   = pool.Pool[*hostcall.Conn]
	Worker = pool.Worker[*hostcall.Conn]
)

// Turns runs attempts in the users' own workers.
type Turns struct {
	Pool     *Pool
	Spec     func(user string) (pool.WorkerSpec, error)
	OnBegin  func(user string) // called before each attempt
	Faults   *WorkerStartFaults
	Model    func(context.Context, supervisor.Turn) (string, error)
	Reserver func(supervisor.Turn) hostcall.Reserver // pays for a turn's model calls
	OnEnd    func(user string, end protocol.TurnEnd) // called after each attempt
	// Uses returns how often each fact of a user was used.
	Uses func(ctx context.Context, user string) (map[string]int, error)
	Log  hclog.Logger
}

// errOvertime ends the call of a worker that did not end its turn in time.
var errOvertime = errors.New("the turn's time is over")

// Run runs an attempt in the user's worker.
func (t Turns) Run(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	model, err := t.Model(ctx, a.Turn)
	if err != nil { // continue with the default model
		t.Log.Error("find a user's model", "user", a.Turn.Conversation.User, "error", err)
	}
	// without the counts, all facts rank the same
	if a.Start.RecallCounts, err = t.Uses(ctx, a.Turn.Conversation.User); err != nil {
		t.Log.Error("count the uses of a user's facts", "user", a.Turn.Conversation.User, "error", err)
	}
	spec, err := t.Spec(a.Turn.Conversation.User)
	worker, err := t.acquire(ctx, a.Turn.Conversation.User, spec, err)
	if err != nil {
		return session.AttemptEnd{}, err
	}
	defer worker.Release()
	conn := worker.Host()
	conn.BeginTurn(hostcall.Turn{
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Destination: a.Turn.AnswerConversation().ID, Model: model,
		First: a.First, Step: a.Start.CommittedSteps, Limits: a.Start.Limits, Pending: a.Start.PendingCalls,
		Reply: a.Stream,
		Kind:  a.Turn.Kind, Reserver: t.Reserver(a.Turn), CommitLast: a.CommitLast,
	})
	end, err := call(ctx, worker, a)
	t.OnEnd(a.Turn.Conversation.User, end)
	ended := conn.EndTurn(a.Turn.ID, end.Why)
	return session.AttemptEnd{TurnEnd: end, Failure: ended.Failure, Replaced: ended.Replaced,
		AnsweredBy: ended.AnsweredBy,
		Tokens:     ended.Tokens, Cost: ended.Cost,
		Shared: worker.WasShared(), Lost: err != nil && pool.IsSpawnerLost(worker.Err())}, err
}

// acquire returns a worker for a user's turn. err is the error of making spec; it is handled like a
// failed start.
func (t Turns) acquire(ctx context.Context, user string, spec pool.WorkerSpec, err error) (*Worker, error) {
	t.OnBegin(user)
	if err != nil {
		return nil, &session.NoWorkerError{Until: time.Now().Add(refusedRetry), Err: err,
			Why: t.Faults.explain(user, err.Error())}
	}
	worker, err := t.Pool.Acquire(ctx, spec)
	if broken := new(pool.CrashLoopError); errors.As(err, &broken) {
		return nil, &session.NoWorkerError{Until: broken.Until, Err: err}
	}
	if refused := new(pool.StartRefusedError); errors.As(err, &refused) {
		return nil, &session.NoWorkerError{Until: time.Now().Add(refusedRetry), Err: err,
			Why: t.Faults.explain(user, refused.Reason)}
	}
	if err == nil {
		t.Faults.told.Delete(user)
	}
	return worker, err
}

// call starts a turn in a worker and waits for its end. It kills a worker that does not end the
// turn in time, or that reports a wrong end, so that no part of the turn continues.
func call(ctx context.Context, worker *Worker, a session.Attempt) (end protocol.TurnEnd, err error) {
	allowed := time.Duration(a.Start.Limits.Seconds)*time.Second + overtime
	bounded, cancel := context.WithTimeoutCause(ctx, allowed, errOvertime)
	defer cancel()
	err = worker.Call(bounded, protocol.MethodTurnStart, a.Start, &end)
	if err == nil && errors.Is(context.Cause(bounded), errOvertime) {
		end.Why = protocol.TurnEndTimeLimit
	}
	if err == nil {
		err = a.CheckEnd(end)
	}
	if err != nil {
		worker.Kill(err)
		wait, done := context.WithTimeout(context.WithoutCancel(ctx), deathTimeout)
		defer done()
		select {
		case <-worker.Done():
		case <-wait.Done():
		}
	}
	return end, err
}
