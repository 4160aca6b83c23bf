package approval

import (
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
)

// Grants knows what people have allowed for always.
type Grants interface {
	Granted(ctx context.Context, user, subject string) (bool, error)
}

// Asker asks people.
type Asker interface {
	// Ask is the question once it has ended. For a turn it is supervisor.ErrWaits while it is open;
	// for a command it waits, and ctx ends that.
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// Confirmer has people show that it is they. Confirmations is one.
type Confirmer interface {
	// CheckAskable says why a person can't be asked for a code for a question: a supervisor.Error
	// with CodeForbidden in words for them.
	CheckAskable(ctx context.Context, q supervisor.Question) error
}

// Approver allows effects or denies them. It may be used from several goroutines.
type Approver struct {
	// false: there is no such person, or not for now
	People    func(name string) (supervisor.User, bool)
	Policy    *Policy
	Grants    Grants
	Asker     Asker
	Confirmer Confirmer
	Audit     func(user, action, detail string) // never blocks
}

// The ends of a request, as the audit log has them.
const (
	auditAllowed  = "approval.allowed"
	auditDenied   = "approval.denied"
	auditFailed   = "approval.failed"   // it could not be found out
	auditWithdrawn = "approval.withdrew" // the turn ended while the person was asked
)

// Allow returns nil where the effect may leave the walls now, once. The person and the rules are
// looked at again after somebody has answered. A supervisor.Error with CodeForbidden says in words
// for the model and the person that it may not; any other error is that it could not be found out,
// which is no leave either. It is supervisor.ErrWaits while a turn's person has not answered; for a
// command it waits for them, and ends with ctx.
func (a *Approver) Allow(ctx context.Context, r Request) error {
	user, known := a.People(r.User)
	if !known {
		return a.deny(r, "nobody of that name", textNobody, r.User)
	}
	switch a.Policy.Rule(user, r.Effect) {
	case RuleAllow:
		return a.allow(r, "by rule")
	case RuleAsk:
		return a.ask(ctx, r)
	case RuleStepUp:
		return a.askForCode(ctx, r)
	}
	return a.deny(r, "by rule", textDeniedRule, r.User, r.Effect)
}

// ask asks the person, unless they have allowed exactly this for always.
func (a *Approver) ask(ctx context.Context, r Request) error {
	granted, err := a.Grants.Granted(ctx, r.User, r.Subject())
	if err != nil {
		return a.fail(ctx, r, "look for what was allowed", err)
	}
	if granted {
		return a.allow(r, "for always")
	}
	asked, err := a.Asker.Ask(ctx, r.question(supervisor.QuestionApproval))
	if err != nil {
		return a.fail(ctx, r, "ask", err)
	}
	return a.resolve(r, RuleAsk, asked.Answer.Say)
}

// askForCode has the person show with a code that it is they who want it. There is no always.
func (a *Approver) askForCode(ctx context.Context, r Request) error {
	q := r.question(supervisor.QuestionCode)
	err := a.Confirmer.CheckAskable(ctx, q)
	if supervisor.ErrorCode(err) == supervisor.CodeForbidden && ctx.Err() == nil {
		a.audit(r, auditDenied, "no code can be asked for")
		return err
	}
	var asked supervisor.Question
	if err == nil {
		asked, err = a.Asker.Ask(ctx, q)
	}
	if err != nil {
		return a.fail(ctx, r, "ask for a code", err)
	}
	if asked.Answer.Say == supervisor.SayAlways { // which no code says
		asked.Answer.Say = supervisor.SayNothing
	}
	return a.resolve(r, RuleStepUp, asked.Answer.Say)
}

// question is what the person is asked. Whoever asks says when it expires.
func (r Request) question(kind supervisor.QuestionKind) supervisor.Question {
	q := supervisor.Question{Conversation: r.Conversation, Turn: r.Turn, Inbound: r.Inbound, Call: r.Call, Kind: kind, Tool: r.Effect,
		Subject: r.Subject(), Text: r.Text}
	if kind == supervisor.QuestionCode {
		q.Text = fmt.Sprintf(textAskForCode, r.Text)
	}
	return q
}

// resolve ends a request whose person was asked because of a rule.
func (a *Approver) resolve(r Request, rule Rule, said supervisor.Say) error {
	switch said {
	case supervisor.SayOnce, supervisor.SayAlways:
		if err := a.recheck(r, rule); err != nil {
			return err
		}
		return a.allow(r, "by the person, "+string(said))
	case supervisor.SayNo:
		return a.deny(r, "by the person", textDenied, r.User)
	}
	return a.deny(r, "no answer", textNoAnswer, r.User)
}

// strictness is how much a rule asks for. What is no rule here is as strict as RuleDeny.
var strictness = map[Rule]int{RuleAllow: 1, RuleAsk: 2, RuleStepUp: 3}

// recheck denies what the person has allowed where that is not enough any more: they may have taken
// an hour to answer, and have lost their role meanwhile, or the rules have changed. A rule that
// asks for less than was answered is no hindrance.
func (a *Approver) recheck(r Request, answered Rule) error {
	user, known := a.People(r.User)
	if !known {
		return a.deny(r, "nobody of that name any more", textNoLonger, r.User)
	}
	rule := a.Policy.Rule(user, r.Effect)
	switch by := strictness[rule]; {
	case by == 0:
		return a.deny(r, "by a rule from after the question", textRuleDenies, r.User, r.User, r.Effect)
	case by > strictness[answered]:
		return a.deny(r, "by a rule from after the question", textRuleStricter, r.User, rule, r.User)
	}
	return nil
}

func (a *Approver) allow(r Request, how string) error {
	a.audit(r, auditAllowed, how)
	return nil
}

func (a *Approver) deny(r Request, why, format string, args ...any) error {
	a.audit(r, auditDenied, why)
	return supervisor.Errorf(supervisor.CodeForbidden, format, args...)
}

func (a *Approver) fail(ctx context.Context, r Request, attempt string, err error) error {
	switch {
	case errors.Is(err, supervisor.ErrWaitsForAnswer):
		return err // asked again, it says how that has ended
	case ctx.Err() != nil:
		a.audit(r, auditWithdrawn, attempt)
		return context.Cause(ctx)
	}
	a.audit(r, auditFailed, attempt)
	return fmt.Errorf("%s %s about %s: %w", attempt, r.User, r.Effect, err)
}

// audit keeps an outcome. No word of a person's is in it: what it was about is its digest.
func (a *Approver) audit(r Request, outcome, how string) {
	a.Audit(r.User, outcome, fmt.Sprintf("%s %s; turn %d, call %q, subject %s", r.Effect, how, r.Turn, r.Call, r.Subject()))
}
