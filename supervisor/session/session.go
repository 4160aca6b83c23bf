// Package session lives a conversation's life: it takes what a person sent from the inbox, has a turn run for it, and
// puts the answer into the outbox. One goroutine for each conversation that has something to do, one turn at a time in
// it; nothing is kept in memory that is not on disk, so a session can end, or the whole process, at any moment.
package session

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/fair"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// Inbox is where a conversation's work comes from.
type Inbox interface {
	Next(ctx context.Context, conversation int64) (supervisor.Inbound, bool, error)
	Unfinished(ctx context.Context) ([]supervisor.Conversation, error)
	Ahead(ctx context.Context, command int64) (sqlite.PrecedingText, error)
}

// Turns keeps how far the work has come.
type Turns interface {
	Start(ctx context.Context, inbound int64) (supervisor.Turn, error)
	Take(ctx context.Context, turn int64, room int) (taken int, err error)
	Asked(ctx context.Context, turn int64) (message int64, err error)
	Open(ctx context.Context, conversation int64) (sqlite.RunningTurn, bool, error)
	Died(ctx context.Context, turn int64) (deaths int, err error)
	Finish(ctx context.Context, end sqlite.FinishTurn) (supervisor.Delivery, error)
}

// Notices tells a person what no turn says.
type Notices interface {
	PutNotice(ctx context.Context, conversation int64, text string) (supervisor.Delivery, error)
}

// Attempt is one try at a turn, with one worker.
type Attempt struct {
	Turn     supervisor.Turn
	First    int64 // the message with which began what the turn is to answer
	Start    protocol.TurnStart
	Stream   *reply.Stream
	CheckEnd func(protocol.TurnEnd) error // what is wrong with an end that the worker reports; it has been audited
}

// Runner has a worker run an attempt. It waits for a worker, and when it returns nothing of the attempt runs any more.
//
// A nil error is an end that the worker reported and that passed the attempt's Check; with WhyError, Failure says what
// failed. A worker whose end does not pass is killed, and Check's error is returned. A *Waiting says that there is no
// worker to be had for a while. Any other error, with ctx not ended, is the worker's death.
type Runner interface {
	Run(ctx context.Context, a Attempt) (End, error)
}

// End is how an attempt ended.
type End struct {
	protocol.TurnEnd
	Failure  error                     // of the last model call, with WhyError
	Replaced *supervisor.ReplacedModel // which model was to make the last step, where another one did
	Answered string                    // that other one
}

// NoWorkerError is returned by a Runner when a person's worker keeps dying, or can't be started, and is left alone for a while.
type NoWorkerError struct {
	Until time.Time
	Err   error
	Why   string // for the person, why it can't be started; "" where it keeps dying
}

func (w *NoWorkerError) Error() string {
	return "no worker before " + w.Until.Format(time.RFC3339) + ": " + w.Err.Error()
}
func (w *NoWorkerError) Unwrap() error { return w.Err }

// Options are what all sessions share.
type Options struct {
	Inbox   Inbox
	Turns   Turns
	Notices Notices
	Runner  Runner
	Feeds   *reply.Feeds
	Limits  protocol.TurnLimits
	AtOnce  int                                // turns that run at once, of all people together; 0 is 8
	Audit   func(user, action, detail string)  // never blocks
	Serves  func(supervisor.Conversation) bool // whether its person is still to be served; nil: everybody is
	// Busy is what a person wants with what they send while a turn runs; nil: BusyQueue. BusySteer is not the sessions' to do:
	// it is done where a turn asks its model.
	Busy func(ctx context.Context, user string) supervisor.Busy
	Now  func() time.Time
	Log  hclog.Logger
}

// maxDeaths of workers that a turn had for itself; then its inbound is parked.
const maxDeaths = 3

// What ends a turn before its own end: its person has asked for it, or has sent more and wants that to.
var (
	errStopped    = errors.New("stopped by the person")
	errSuperseded = errors.New("stopped by what the person sent next")
)

// session is one conversation's. Its run belongs to one goroutine.
type session struct {
	*Options
	conversation supervisor.Conversation
	stops        *stopRequests   // of all sessions
	userTurns    *userTurns      // of the person's sessions
	allTurns     *fair.Semaphore // of all sessions
	interrupted  chan struct{}   // holds a token when stops may hold something new
	arrived      chan struct{}   // holds a token when something new may wait in the conversation
}

// waitForPlace waits for a place in the lane, and for one in the house; leave gives both back. A turn that is to be stopped needs
// none.
func (s *session) waitForPlace(ctx context.Context) (leave func(), ok bool) {
	for !s.stops.wanted(s.conversation.ID) {
		select {
		case s.userTurns.places <- struct{}{}:
			if place, ok := s.joinAll(ctx); ok {
				return func() { place.Release(); <-s.userTurns.places }, true
			}
			<-s.userTurns.places
		case <-s.interrupted:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, false
		}
	}
	return func() {}, true
}

// joinAll waits for a place in the house; not ok is that there may be something to stop, or that ctx has ended.
func (s *session) joinAll(ctx context.Context) (place fair.Permit, ok bool) {
	place = s.allTurns.Request(s.conversation.User)
	select {
	case <-place.Granted():
		return place, true
	case <-s.interrupted:
	case <-ctx.Done():
	}
	place.Release()
	return place, false
}

// runNext works a turn to its end. It says whether there may be another.
func (s *session) runNext(ctx context.Context) (more bool) {
	open, ok := s.nextTurn(ctx)
	return ok && s.finish(ctx, s.runTurn(ctx, open))
}

// superseded is the turn to work on: the one that an earlier life left open, or a new one for the next inbound. What the store
// can't do now it is asked for again.
func (s *session) nextTurn(ctx context.Context) (open sqlite.RunningTurn, ok bool) {
	kept := s.persist(ctx, "find the next turn", func() (err error) {
		open, ok, err = s.Turns.Open(ctx, s.conversation.ID)
		if err != nil || ok {
			return err
		}
		in, found, err := s.Inbox.Next(ctx, s.conversation.ID)
		if err != nil || !found || !s.served() {
			return err
		}
		if _, err := s.Turns.Start(ctx, in.ID); err != nil {
			return err
		}
		open, ok, err = s.Turns.Open(ctx, s.conversation.ID)
		return err
	})
	return open, ok && kept
}

// served says whether the person is still there. Where not, what waits is left as it is: it is gone on with at the next start
// after they are back, or with what they send then.
func (s *session) served() bool { return s.Serves == nil || s.Serves(s.conversation) }

// persist repeats what the store has to do until it is done or ctx ends: there is no other way not to lose it. What the
// store refuses is not asked for again, for it would be refused again; that is logged.
func (s *session) persist(ctx context.Context, what string, do func() error) (done bool) {
	log := s.Log.With("user", s.conversation.User, "conversation", s.conversation.ID)
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, final(do()) },
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: 100 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: 10 * time.Second,
		}),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, again time.Duration) { log.Error(what, "error", err, "again_in", again) }))
	if err != nil && ctx.Err() == nil {
		log.Error(what+": refused", "error", err)
	}
	return err == nil
}

// final marks the store's refusals as such.
func final(err error) error {
	switch supervisor.ErrorCode(err) {
	case supervisor.CodeInvalid, supervisor.CodeNotFound:
		return backoff.Permanent(err)
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
