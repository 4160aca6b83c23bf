// Package runner runs the attempts that sessions make at turns: it gives each to a worker, and waits
// for its end.
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
	// overtime is what a worker gets to end a turn by itself after the turn's time is over.
	overtime = 15 * time.Second
	// refusedAgain is after how long a worker that could not be started is asked for again.
	refusedRetry = 15 * time.Second
	// dying is how long a worker that is being killed is waited for; the pool's ladder is shorter.
	deathTimeout = 15 * time.Second
)

// What answers a worker is its hostcall.Conn.
type (
	Pool   = pool.Pool[*hostcall.Conn]
	Worker = pool.Worker[*hostcall.Conn]
)

// Turns runs attempts in the workers of people.
type Turns struct {
	Pool     *Pool
	Spec     func(user string) (pool.Spec, error)
	OnBegin   func(user string) // told of each attempt
	Faults   *StartFaults
	Model    func(context.Context, supervisor.Turn) (string, error)
	Reserver func(supervisor.Turn) hostcall.Reserver // pays for a turn's calls of models
	OnEnd    func(user string, end protocol.TurnEnd) // told of each end
	// Uses counts how often a person's facts were used.
	Uses func(ctx context.Context, user string) (map[string]int, error)
	Log  hclog.Logger
}

// errOvertime ends a call of a worker that did not keep to its turn's time.
var errOvertime = errors.New("the turn's time is over")

// Run has a worker of the person's run an attempt.
func (t Turns) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	model, err := t.Model(ctx, a.Turn)
	if err != nil { // with the default model the person has an answer at least
		t.Log.Error("find a person's model", "user", a.Turn.Conversation.User, "error", err)
	}
	// without them the facts count alike
	if a.Start.Uses, err = t.Uses(ctx, a.Turn.Conversation.User); err != nil {
		t.Log.Error("find which facts a person has used", "user", a.Turn.Conversation.User, "error", err)
	}
	spec, err := t.Spec(a.Turn.Conversation.User)
	worker, err := t.acquire(ctx, a.Turn.Conversation.User, spec, err)
	if err != nil {
		return session.End{}, err
	}
	defer worker.Release()
	conn := worker.Host()
	conn.BeginTurn(hostcall.Turn{
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Destination: a.Turn.AnswersIn().ID, Model: model,
		First: a.First, Step: a.Start.Step, Limits: a.Start.Limits, Pending: a.Start.Pending, Reply: a.Stream,
		Kind: a.Turn.Kind, Reserver: t.Reserver(a.Turn), CommitLast: a.CommitLast,
	})
	end, err := call(ctx, worker, a)
	t.OnEnd(a.Turn.Conversation.User, end)
	ended := conn.EndTurn(a.Turn.ID, end.Why)
	return session.End{TurnEnd: end, Failure: ended.Failure, Replaced: ended.Replaced, AnsweredBy: ended.AnsweredBy,
		Shared: worker.Shared()}, err
}

// acquire has a worker for a person's turn, unless there was an error in finding which. Its error
// is the Runner's.
func (t Turns) acquire(ctx context.Context, user string, spec pool.Spec, err error) (*Worker, error) {
	t.OnBegin(user)
	if err != nil {
		return nil, &session.NoWorkerError{Until: time.Now().Add(refusedRetry), Err: err,
			Why: t.Faults.explain(user, err.Error())}
	}
	worker, err := t.Pool.Acquire(ctx, spec)
	if broken := new(pool.BrokenError); errors.As(err, &broken) {
		return nil, &session.NoWorkerError{Until: broken.Until, Err: err}
	}
	if refused := new(pool.RefusedError); errors.As(err, &refused) {
		return nil, &session.NoWorkerError{Until: time.Now().Add(refusedRetry), Err: err,
			Why: t.Faults.explain(user, refused.Reason)}
	}
	if err == nil {
		t.Faults.told.Delete(user)
	}
	return worker, err
}

// call starts the turn and waits for its end. A worker that does not end it, or whose end makes no
// sense, is killed: nothing of a turn runs on after it.
func call(ctx context.Context, worker *Worker, a session.Attempt) (end protocol.TurnEnd, err error) {
	allowed := time.Duration(a.Start.Limits.Seconds)*time.Second + overtime
	bounded, cancel := context.WithTimeoutCause(ctx, allowed, errOvertime)
	defer cancel()
	err = worker.Call(bounded, protocol.MethodTurnStart, a.Start, &end)
	if err == nil && errors.Is(context.Cause(bounded), errOvertime) {
		end.Why = protocol.WhyTime
	}
	if err == nil {
		err = a.CheckEnd(end)
	}
	if err != nil {
		worker.Kill(err)
		wait, done := context.WithTimeout(context.WithoutCancel(ctx), deathTimeout)
		defer done()
		select {
		case <-worker.Died():
		case <-wait.Done():
		}
	}
	return end, err
}
