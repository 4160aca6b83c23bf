// Package question asks people before something is done, by a message with buttons, and waits for what they press.
package question

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// How long a question stands unless Options say otherwise: one about money holds up somebody who waits, and an approval may
// find its person away.
const (
	budgetTimeout   = 10 * time.Minute
	approvalTimeout = time.Hour
)

// Store keeps questions.
type Store interface {
	// Ask keeps a question, and a delivery with those buttons. Where the turn or the command has asked exactly that before, it
	// keeps nothing and returns that question; an answer that counts is in it, and is used up.
	Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
		asked supervisor.Question, fresh bool, err error)
	// Use is what was answered, and uses it up; AnswerNone is nothing yet. taken says that another has used it: it counts once.
	Use(ctx context.Context, id int64) (answer supervisor.Answer, taken bool, err error)
	// Withdraw has a question without an answer expire, and its buttons go.
	Withdraw(ctx context.Context, id int64) error
	// WasAsked says whether a question with that digest was put to a person.
	WasAsked(ctx context.Context, user, digest string) (bool, error)
	// Press keeps what was pressed and audits it. q is the question as it was before.
	Press(ctx context.Context, p supervisor.Press) (q supervisor.Question, result supervisor.PressResult, err error)
}

// Audit keeps who did what.
type Audit interface {
	Put(ctx context.Context, user, action, detail string) error
}

// Options are what Questions need. Store, Audit and Log are required.
type Options struct {
	Store  Store
	Audit  Audit
	Queued func(conversation int64) // a question was put into the conversation's outbox, or its buttons are to go; never blocks
	Log    hclog.Logger

	BudgetTimeout   time.Duration // how long a question about money stands; 0 is 10 minutes
	ApprovalTimeout time.Duration // how long one about an effect stands; 0 is an hour
}

// Questions asks people and takes their answers. It may be used from any goroutine, and starts none.
type Questions struct {
	o        Options
	answered supervisor.Broadcast

	mu      sync.Mutex    // guards waiting
	waiting map[int64]int // for how many answers somebody waits, by conversation
}

// New makes Questions.
func New(o Options) *Questions {
	o.BudgetTimeout = cmp.Or(o.BudgetTimeout, budgetTimeout)
	o.ApprovalTimeout = cmp.Or(o.ApprovalTimeout, approvalTimeout)
	return &Questions{o: o, waiting: map[int64]int{}}
}

// Ask asks a question in its conversation and waits until it is answered, it has expired (AnswerDeny) or ctx ends (the error is
// ctx's cause). ID, Answer and ExpiresAt of q are not read. A turn or a command that asks again what it asked before the service
// was started anew asks nobody twice. An answer of once counts once, and for a command until the command has its own answer.
func (s *Questions) Ask(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	for {
		answer, taken, err := s.askOnce(ctx, q)
		if err != nil {
			return supervisor.AnswerNone, fmt.Errorf("ask %s (%s) for %s: %w", q.Conversation.User, q.Kind, q.Asker(), err)
		}
		if !taken {
			return answer, nil
		}
	}
}

// askOnce puts the question to its person, unless the asker has asked it before, and waits. taken says that another has used up
// the answer, so that the question has to be asked anew.
func (s *Questions) askOnce(ctx context.Context, q supervisor.Question) (answer supervisor.Answer, taken bool, err error) {
	timeout := s.o.ApprovalTimeout
	if q.Kind == supervisor.QuestionBudget {
		timeout = s.o.BudgetTimeout
	}
	q.ExpiresAt = time.Now().Add(timeout)
	nonce := newNonce()
	asked, fresh, err := s.o.Store.Ask(ctx, q, digest(nonce), buttons(q, nonce))
	if fresh {
		s.o.Queued(asked.Conversation.ID)
	}
	if err != nil || asked.Answer != supervisor.AnswerNone {
		return asked.Answer, false, err
	}
	answer, taken, err = s.wait(ctx, asked)
	if err != nil {
		s.withdraw(ctx, asked, err)
	}
	return answer, taken, err
}

// Waits says whether somebody waits for a person's answer in a conversation.
func (s *Questions) Waits(conversation int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting[conversation] > 0
}

// Stored has whoever waits look for an answer: something was kept, and may be one in words.
func (s *Questions) Stored() { s.answered.Notify() }

func (s *Questions) count(conversation int64, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[conversation] += by
	if s.waiting[conversation] == 0 {
		delete(s.waiting, conversation)
	}
}

// wait waits for the answer to a question.
func (s *Questions) wait(ctx context.Context, q supervisor.Question) (answer supervisor.Answer, taken bool, err error) {
	s.count(q.Conversation.ID, 1)
	defer s.count(q.Conversation.ID, -1)
	expired := time.After(time.Until(q.ExpiresAt))
	for last := false; ; {
		pressed := s.answered.Wait() // taken before the look, so that no press is missed
		answer, taken, err = s.o.Store.Use(ctx, q.ID)
		switch {
		case err != nil || taken || answer != supervisor.AnswerNone:
			return answer, taken, err
		case last:
			return supervisor.AnswerDeny, false, nil
		}
		select {
		case <-pressed:
		case <-expired:
			last = true
		case <-ctx.Done():
			return supervisor.AnswerNone, false, context.Cause(ctx)
		}
	}
}

// withdrawTimeout is how long withdrawing a question may take.
const withdrawTimeout = 10 * time.Second

// withdraw ends a question for which nobody waits any more, and why. One of a turn or a command stands until its asker ends: it may
// be asked again after a restart. Only where its answer is not needed it ends at once.
func (s *Questions) withdraw(ctx context.Context, q supervisor.Question, why error) {
	if (q.Turn != 0 || q.Inbound != 0) && !errors.Is(why, supervisor.ErrAnswerNotNeeded) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	if err := s.o.Store.Withdraw(ctx, q.ID); err != nil {
		s.o.Log.Warn("a question for which nobody waits could not be withdrawn", "user", q.Conversation.User, "error", err)
	}
	s.o.Queued(q.Conversation.ID)
}
