// Package question asks people before something is done, by a message with buttons, and waits for what they press.
package question

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// How long questions stand unless Options say otherwise: one about money holds up somebody who waits, and an approval may
// find its person away.
const (
	budgetTimeout   = 10 * time.Minute
	approvalTimeout = time.Hour
)

// Store keeps questions.
type Store interface {
	// Ask keeps a question and its delivery with those buttons, or returns what the turn or the command has asked before: with
	// the answer, if there is one that counts, which is used then.
	Ask(ctx context.Context, q supervisor.Question, digest string, buttons [][]supervisor.Button) (
		asked supervisor.Question, fresh bool, err error)
	// Use is what was answered, "" where nothing was. taken says that it was used by another, and counts once.
	Use(ctx context.Context, id int64) (answer supervisor.Answer, taken bool, err error)
	// Withdraw has a question expire that has no answer.
	Withdraw(ctx context.Context, id int64) error
	// Press keeps what was pressed, audits it, and says what that has come to, with the question as it was before.
	Press(ctx context.Context, p supervisor.Press) (q supervisor.Question, came supervisor.PressResult, err error)
}

// Audit is who did what.
type Audit interface {
	Put(ctx context.Context, user, action, detail string) error
}

// Options are what a Desk needs. Store and Audit are required.
type Options struct {
	Store  Store
	Audit  Audit
	Queued func(conversation int64) // a question is in the conversation's outbox; nil: nobody needs to know
	Log    hclog.Logger             // nil logs nothing

	BudgetTimeout   time.Duration // how long a question about money stands; 0 is 10 minutes
	ApprovalTimeout time.Duration // how long one about an effect stands; 0 is an hour
}

// Questions asks people and takes their answers. It may be used from any goroutine, and starts none.
type Questions struct {
	o        Options
	answered broadcast
}

// New makes a Desk.
func New(o Options) *Questions {
	if o.Queued == nil {
		o.Queued = func(int64) {}
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.BudgetTimeout <= 0 {
		o.BudgetTimeout = budgetTimeout
	}
	if o.ApprovalTimeout <= 0 {
		o.ApprovalTimeout = approvalTimeout
	}
	return &Questions{o: o}
}

// Ask asks a question in its conversation and waits until it is answered, has expired (which is AnswerDeny) or ctx ends
// (whose cause is the error then). ID, Answer and ExpiresAt of q are not looked at. A turn or a command that asks
// exactly what it has asked before, in an earlier life of the service, asks nobody twice; an answer of once counts once, and
// for a command until that has its own answer.
func (d *Questions) Ask(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	answer, err := d.ask(ctx, q)
	if err != nil {
		return supervisor.AnswerNone, fmt.Errorf("ask %s (%s) for %s: %w", q.Conversation.User, q.Kind, q.Asker(), err)
	}
	return answer, nil
}

func (d *Questions) ask(ctx context.Context, q supervisor.Question) (supervisor.Answer, error) {
	for {
		asked, err := d.put(ctx, q)
		if err != nil || asked.Answer != supervisor.AnswerNone {
			return asked.Answer, err
		}
		answer, taken, err := d.wait(ctx, asked)
		if err != nil {
			d.withdraw(ctx, asked)
			return supervisor.AnswerNone, err
		}
		if !taken {
			return answer, nil
		}
	}
}

// put puts the question, with new buttons, to its person, unless whoever waits has asked before.
func (d *Questions) put(ctx context.Context, q supervisor.Question) (supervisor.Question, error) {
	stands := d.o.ApprovalTimeout
	if q.Kind == supervisor.QuestionBudget {
		stands = d.o.BudgetTimeout
	}
	q.ExpiresAt = time.Now().Add(stands)
	nonce := newNonce()
	asked, fresh, err := d.o.Store.Ask(ctx, q, digest(nonce), buttons(q, nonce))
	if fresh {
		d.o.Queued(asked.Conversation.ID)
	}
	return asked, err
}

// wait waits for the answer to a question. taken is that another has used it up.
func (d *Questions) wait(ctx context.Context, q supervisor.Question) (answer supervisor.Answer, taken bool, err error) {
	expired := time.NewTimer(time.Until(q.ExpiresAt))
	defer expired.Stop()
	for last := false; ; {
		rung := d.answered.wait() // taken before the look, so that no press is missed
		answer, taken, err = d.o.Store.Use(ctx, q.ID)
		switch {
		case err != nil || taken || answer != supervisor.AnswerNone:
			return answer, taken, err
		case last:
			return supervisor.AnswerDeny, false, nil
		}
		select {
		case <-rung:
		case <-expired.C:
			last = true
		case <-ctx.Done():
			return supervisor.AnswerNone, false, context.Cause(ctx)
		}
	}
}

// withdrawTimeout is how long withdrawing a question may take.
const withdrawTimeout = 10 * time.Second

// withdraw ends a question that belongs to no turn and no command, and for which nobody waits any more. That of either stands
// until it ends: it may be asked again after a restart.
func (d *Questions) withdraw(ctx context.Context, q supervisor.Question) {
	if q.Turn != 0 || q.Inbound != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	if err := d.o.Store.Withdraw(ctx, q.ID); err != nil {
		d.o.Log.Warn("a question for which nobody waits could not be withdrawn", "user", q.Conversation.User, "error", err)
	}
}
