// Package question asks users by messages with buttons, and records their answers. A turn does not
// wait for an answer: it is suspended, and continues when the question has ended. A command waits
// in this package.
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

// defaultOpenFor is how long a question is open after its delivery. A user may be away for a night.
const defaultOpenFor = 24 * time.Hour

// Store stores questions.
type Store interface {
	// Ask stores a question, and a delivery with the buttons. If the turn or command has asked the
	// same question before, it stores nothing and returns the earlier question. The end of a
	// question is returned once.
	Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
		asked supervisor.Question, fresh bool, err error)
	// UseAnswer returns a question's current state, and uses up its end. taken means that the
	// question's yes, which counts only once, was used before.
	UseAnswer(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error)
	// Withdraw ends an open question without an answer.
	Withdraw(ctx context.Context, id int64) error
	// WasAsked reports whether the user was asked a question with the given digest.
	WasAsked(ctx context.Context, user, digest string) (bool, error)
	// RecordPress records a press and audits it. q is the question afterwards.
	RecordPress(ctx context.Context, p supervisor.QuestionPress) (q supervisor.Question, result supervisor.PressResult,
		err error)
}

// QuestionEndWatcher watches the ends of questions, and the turns that wait for them.
type QuestionEndWatcher interface {
	// ChangeSignal returns a channel that holds a token when a question was asked, delivered or
	// ended.
	ChangeSignal() <-chan struct{}
	// EndExpired ends the questions that have been open for too long. next is when the next
	// question expires; zero means never.
	EndExpired(ctx context.Context) (next time.Time, err error)
	// ListResumableConversations lists the conversations with a turn that waited and may continue.
	ListResumableConversations(ctx context.Context) ([]supervisor.Conversation, error)
}

// AuditLog writes the audit log.
type AuditLog interface {
	Append(ctx context.Context, user, action, detail string) error
}

// Options are the dependencies of Questions. All but OpenFor and Now are required.
type Options struct {
	Store Store
	Ends  QuestionEndWatcher
	Audit AuditLog
	// called when a question was queued in a conversation; never blocks
	Queued func(conversation int64)
	Resume func(c supervisor.Conversation) // called when the question's turn may continue; never blocks
	Ended  func()                          // called when messages may have changed; never blocks
	Log    hclog.Logger
	// returns how long a question is open after its delivery; nil or 0 means 24 hours
	OpenFor func() time.Duration
	Now     func() time.Time // returns the current time; nil means time.Now
}

// Questions asks users and records their answers. It may be used from any goroutine. Its method Run
// must be running.
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

// Run expires questions, and resumes turns whose question has ended, until ctx ends.
func (s *Questions) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		next, err := s.expireAndResume(ctx)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("find ended questions", "error", err)
			next = s.o.Now().Add(pollInterval)
		}
		s.wait(ctx, next)
	}
	return nil
}

// pollInterval is the wait after a failure of the store. The clock is read this often while a
// question is open, because a timer would stop while the machine sleeps.
const pollInterval = 5 * time.Second

// expireAndResume expires questions and resumes turns. next is when the next question expires.
func (s *Questions) expireAndResume(ctx context.Context) (next time.Time, err error) {
	if next, err = s.o.Ends.EndExpired(ctx); err != nil {
		return next, err
	}
	resumable, err := s.o.Ends.ListResumableConversations(ctx)
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
		due = time.After(min(next.Sub(s.o.Now()), pollInterval))
	}
	select {
	case <-s.o.Ends.ChangeSignal():
	case <-due:
	case <-ctx.Done():
	}
}

// Ask asks a question in its conversation, and ignores ID, OpenFor, End and Answer of q. For a turn
// Ask returns at once. While the question is open, the error is ErrWaitsForAnswer. The first call
// after the question's end returns the ended question. For a command Ask waits until the question
// has ended. If ctx ends first, the error is ctx's cause. If the same question was asked before a
// crash, Ask creates no new question.
func (s *Questions) Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error) {
	for {
		asked, taken, err := s.askOnce(ctx, q)
		if err != nil {
			return asked, fmt.Errorf("ask %s (%s) for %s: %w", q.Conversation.User, q.Kind, q.WaiterName(), err)
		}
		if !taken {
			return asked, nil
		}
	}
}

// askOnce asks the question, unless the asker has asked it before. taken means that an earlier call
// has used the answer, so the caller must ask again.
func (s *Questions) askOnce(ctx context.Context, q supervisor.Question) (asked supervisor.Question, taken bool, err error) {
	q.OpenFor = s.openFor()
	nonce := newNonce()
	buttons := answer.QuestionButtons(q, supervisor.Answer{}, func(word string) string { return press(nonce, word) })
	asked, fresh, err := s.o.Store.Ask(ctx, q, digest(nonce), buttons)
	if fresh {
		s.o.Queued(asked.Conversation.ID)
	}
	switch {
	case err != nil || asked.End != supervisor.QuestionOpen:
		return asked, false, err
	case q.Turn != 0:
		return asked, false, supervisor.ErrWaitsForAnswer
	}
	ended, taken, err := s.await(ctx, asked.ID)
	if err != nil && q.Inbound == 0 {
		s.withdraw(ctx, asked)
	}
	return ended, taken, err
}

func (s *Questions) openFor() time.Duration {
	if s.o.OpenFor == nil || s.o.OpenFor() == 0 {
		return defaultOpenFor
	}
	return s.o.OpenFor()
}

// await waits until a question has ended.
func (s *Questions) await(ctx context.Context, id int64) (q supervisor.Question, taken bool, err error) {
	for {
		changed := s.changed.Wait() // Wait comes before the question is read, so that no end is missed
		q, taken, err = s.o.Store.UseAnswer(ctx, id)
		if err != nil || taken || q.End != supervisor.QuestionOpen {
			return q, taken, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return q, false, context.Cause(ctx)
		}
	}
}

// withdrawTimeout limits how long the withdrawal of a question may take.
const withdrawTimeout = 10 * time.Second

// withdraw ends a question without an owner, once its caller no longer waits. The question of a
// turn or command stays open until its owner ends: after a restart it may be asked again.
func (s *Questions) withdraw(ctx context.Context, q supervisor.Question) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	if err := s.o.Store.Withdraw(ctx, q.ID); err != nil {
		s.o.Log.Warn("a question for which nobody waits could not be withdrawn", "user", q.Conversation.User, "error", err)
	}
}
