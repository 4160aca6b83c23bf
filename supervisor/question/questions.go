// Package question asks people, by a message with buttons, and takes what they answer. A turn does
// not wait for that: it is left, and goes on when the question has ended. A command waits here.
package question

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/internal/signals"
)

// defaultStands is how long a question stands from its delivery: people are away for a night.
const defaultStands = 24 * time.Hour

// Store keeps questions.
type Store interface {
	// Ask keeps a question, and a delivery with those buttons. Where the turn or the command has
	// asked exactly that before, it keeps nothing and returns that question; an end that counts is
	// in it, and is used up.
	Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
		asked supervisor.Question, fresh bool, err error)
	// Use is a question as it is now, and uses up its end. taken says that another has used its
	// yes: that counts once.
	Use(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error)
	// Withdraw ends a question that is open.
	Withdraw(ctx context.Context, id int64) error
	// WasAsked says whether a question with that digest was put to a person.
	WasAsked(ctx context.Context, user, digest string) (bool, error)
	// Press keeps what was pressed and audits it. q is the question as it is after.
	Press(ctx context.Context, p supervisor.Press) (q supervisor.Question, result supervisor.PressResult, err error)
}

// Ends says which questions end, and who waits for that.
type Ends interface {
	// Changed holds a token when a question was put, delivered or ended.
	Changed() <-chan struct{}
	// Expire ends those that have stood for their time, and says when the next will have; the zero
	// time for none.
	Expire(ctx context.Context) (next time.Time, err error)
	// Resumable lists the conversations with a turn that waited and may go on.
	Resumable(ctx context.Context) ([]supervisor.Conversation, error)
}

// Audit keeps who did what.
type Audit interface {
	Put(ctx context.Context, user, action, detail string) error
}

// Options are what Questions need. All but Stands and Now are required.
type Options struct {
	Store Store
	Ends  Ends
	Audit Audit
	// a question was put into the conversation's outbox; never blocks
	Queued func(conversation int64)
	Resume func(c supervisor.Conversation) // its turn may go on; never blocks
	Ended  func()                          // messages may have changed; never blocks
	Log    hclog.Logger
	// how long a question stands from its delivery; nil or 0 is 24 hours
	Stands func() time.Duration
	Now    func() time.Time // nil is the time
}

// Questions asks people and takes their answers. It may be used from any goroutine. Run works it.
type Questions struct {
	o       Options
	changed signals.Broadcast
}

// New makes Questions.
func New(o Options) *Questions {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Questions{o: o}
}

// Run has questions expire, and turns go on whose question has ended, until ctx ends.
func (s *Questions) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		next, err := s.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for questions that have ended", "error", err)
			next = s.o.Now().Add(interval)
		}
		s.wait(ctx, next)
	}
	return nil
}

// interval is how long after a failure the store is asked again, and how often the clock is looked
// at while a question stands: a timer would stop while the machine sleeps.
const interval = 5 * time.Second

// look does what has come due, and says when something will.
func (s *Questions) look(ctx context.Context) (next time.Time, err error) {
	if next, err = s.o.Ends.Expire(ctx); err != nil {
		return next, err
	}
	resumable, err := s.o.Ends.Resumable(ctx)
	for _, c := range resumable {
		s.o.Resume(c)
	}
	s.changed.Notify()
	s.o.Ended()
	return next, err
}

func (s *Questions) wait(ctx context.Context, next time.Time) {
	var due <-chan time.Time
	if !next.IsZero() {
		due = time.After(min(next.Sub(s.o.Now()), interval))
	}
	select {
	case <-s.o.Ends.Changed():
	case <-due:
	case <-ctx.Done():
	}
}

// Ask asks a question in its conversation. For a turn it returns at once: the question as it has
// ended, once, or ErrWaits while it is open. For a command it waits until the question has ended or
// ctx ends (the error is ctx's cause). ID, Stands, Why and Answer of q are not read. Who asks again
// what they asked before, after a crash, asks nobody twice.
func (s *Questions) Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error) {
	for {
		asked, taken, err := s.askOnce(ctx, q)
		if err != nil {
			return asked, fmt.Errorf("ask %s (%s) for %s: %w", q.Conversation.User, q.Kind, q.Asker(), err)
		}
		if !taken {
			return asked, nil
		}
	}
}

// askOnce puts the question to its person, unless the asker has asked it before. taken says that
// another has used up the answer, so that the question has to be asked anew.
func (s *Questions) askOnce(ctx context.Context, q supervisor.Question) (asked supervisor.Question, taken bool, err error) {
	q.Stands = s.stands()
	nonce := newNonce()
	buttons := answer.Buttons(q, supervisor.Answer{}, func(word string) string { return press(nonce, word) })
	asked, fresh, err := s.o.Store.Ask(ctx, q, digest(nonce), buttons)
	if fresh {
		s.o.Queued(asked.Conversation.ID)
	}
	switch {
	case err != nil || asked.Why != supervisor.QuestionOpen:
		return asked, false, err
	case q.Turn != 0:
		return asked, false, supervisor.ErrWaits
	}
	ended, taken, err := s.await(ctx, asked.ID)
	if err != nil && q.Inbound == 0 {
		s.withdraw(ctx, asked)
	}
	return ended, taken, err
}

func (s *Questions) stands() time.Duration {
	if s.o.Stands == nil || s.o.Stands() == 0 {
		return defaultStands
	}
	return s.o.Stands()
}

// await waits until a question has ended.
func (s *Questions) await(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error) {
	for {
		changed := s.changed.Wait() // taken before the look, so that no end is missed
		q, taken, err = s.o.Store.Use(ctx, id)
		if err != nil || taken || q.Why != supervisor.QuestionOpen {
			return q, taken, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return q, false, context.Cause(ctx)
		}
	}
}

// withdrawTimeout is how long withdrawing a question may take.
const withdrawTimeout = 10 * time.Second

// withdraw ends a question of nobody's for which nobody waits any more. One of a turn or a command
// stands until its asker ends: it may be asked again after a restart.
func (s *Questions) withdraw(ctx context.Context, q supervisor.Question) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	if err := s.o.Store.Withdraw(ctx, q.ID); err != nil {
		s.o.Log.Warn("a question for which nobody waits could not be withdrawn", "user", q.Conversation.User, "error", err)
	}
}
