package main

import (
	"context"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/hostcall"
	"mews/supervisor/pool"
	"mews/supervisor/session"
)

const (
	// overtime is what a worker gets to end a turn by itself after the turn's time is over.
	overtime = 15 * time.Second
	// dying is how long a worker that is being killed is waited for; the pool's ladder is shorter.
	dying = 15 * time.Second
)

// turns runs attempts: where the sessions, the pool and the desks meet.
type turns struct {
	pool   *pool.Pool
	people *access.People
}

// errOvertime ends a call of a worker that did not keep to its turn's time.
var errOvertime = errors.New("the turn's time is over")

// Run has a worker of the person's run an attempt.
func (t turns) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	user, _ := t.people.Find(a.Turn.Conversation.User)
	worker, err := t.pool.Acquire(ctx, a.Turn.Conversation.User)
	if broken := new(pool.BrokenError); errors.As(err, &broken) {
		return session.End{}, &session.Waiting{Until: broken.Until, Err: err}
	}
	if err != nil {
		return session.End{}, err
	}
	defer worker.Release()
	desk := worker.Host().(*hostcall.Desk)
	desk.Begin(hostcall.Turn{
		ID: a.Turn.ID, Conversation: a.Turn.Conversation.ID, Model: user.Model,
		Step: a.Start.Step, Limits: a.Start.Limits, Pending: a.Start.Pending, Reply: a.Stream,
	})
	end, err := call(ctx, worker, a)
	failure := desk.End(a.Turn.ID, end.Why)
	return session.End{TurnEnd: end, Failure: failure}, err
}

// call starts the turn and waits for its end. A worker that does not end it, or whose end makes no sense, is killed: nothing
// of a turn runs on after it.
func call(ctx context.Context, worker *pool.Worker, a session.Attempt) (end protocol.TurnEnd, err error) {
	allowed := time.Duration(a.Start.Limits.Seconds)*time.Second + overtime
	bounded, cancel := context.WithTimeoutCause(ctx, allowed, errOvertime)
	defer cancel()
	err = worker.Call(bounded, protocol.MethodTurnStart, a.Start, &end)
	if err == nil && errors.Is(context.Cause(bounded), errOvertime) {
		end.Why = protocol.WhyTime
	}
	if err == nil {
		err = a.Check(end)
	}
	if err != nil {
		worker.Kill(err)
		wait, done := context.WithTimeout(context.WithoutCancel(ctx), dying)
		defer done()
		select {
		case <-worker.Died():
		case <-wait.Done():
		}
	}
	return end, err
}

// users are the configured ones as the supervisor's words have them.
func (s *service) users() []supervisor.User {
	var users []supervisor.User
	for _, u := range s.config.Users {
		users = append(users, supervisor.User{
			Name: u.Name, Role: supervisor.Role(u.Role), Account: u.Account, Home: u.Home, Timezone: u.Timezone, Model: u.Model,
			Files: protocol.FilePolicy{Include: u.Files.Include, Exclude: u.Files.Exclude, AppendOnly: u.Files.AppendOnly},
		})
	}
	return users
}
