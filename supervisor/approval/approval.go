package approval

import (
	"context"
	"fmt"

	"mews/supervisor"
)

// Rulebook knows the rules. A Policy is one.
type Rulebook interface {
	Rule(user supervisor.User, effect string) Rule
}

// Grants knows what people have allowed for always.
type Grants interface {
	Granted(ctx context.Context, user, subject string) (bool, error)
}

// Asker asks people.
type Asker interface {
	// Ask waits for the person's answer, for AnswerDeny or AnswerNone when it has waited for too long, or for the end of ctx.
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Answer, error)
}

// Confirmer has people show that it is they.
type Confirmer interface {
	// Confirm asks for a code, and waits for one that is right and that an app still showed when it asked, for this question
	// and no other. Its Answer is AnswerOnce then, and AnswerDeny or AnswerNone when none has come. A supervisor.Error with
	// CodeForbidden says in words for the person why none can be asked for.
	Confirm(ctx context.Context, q supervisor.Question) (supervisor.Answer, error)
}

// Approver allows effects or not. Every field but People, Policy and Audit may be nil: what would need it is denied. It may
// be used from several goroutines.
type Approver struct {
	People    func(name string) (supervisor.User, bool) // false: there is no such person, or not for now
	Policy    Rulebook
	Grants    Grants
	Asker     Asker
	Confirmer Confirmer
	Audit     func(user, action, detail string) // never blocks
}

// The ends of a request, as the audit log has them.
const (
	allowed  = "approval.allowed"
	denied   = "approval.denied"
	failed   = "approval.failed"   // neither: it could not be found out
	withdrew = "approval.withdrew" // the turn ended while the person was asked
)

// Allow returns nil where the effect may leave the walls now, once. Who it is and what the rules say is looked at again once
// somebody has answered. That it may not is a supervisor.Error with
// CodeForbidden, in words for the model that wanted it and for the person; any other error is that it could not be found
// out, which is no leave either. It may take as long as it takes a person to answer, and ends with ctx.
func (a *Approver) Allow(ctx context.Context, r Request) error {
	user, known := a.People(r.User)
	if !known {
		return a.deny(r, "nobody of that name", "There is nobody of the name %s here any more.", r.User)
	}
	rule := a.Policy.Rule(user, r.Effect)
	decide, known := map[Rule]func(context.Context, Request) error{
		RuleAllow:  a.allowByRule,
		RuleAsk:    a.ask,
		RuleStepUp: a.askForCode,
	}[rule]
	if !known {
		return a.deny(r, "by rule", "The rules of this Mews do not let %s do this (%s). Who runs it can change that under "+
			"`approvals` in its configuration.", r.User, r.Effect)
	}
	return decide(ctx, r)
}

func (a *Approver) allowByRule(_ context.Context, r Request) error { return a.grant(r, "by rule") }

// ask asks the person, unless they have allowed exactly this for always.
func (a *Approver) ask(ctx context.Context, r Request) error {
	if a.Grants != nil {
		granted, err := a.Grants.Granted(ctx, r.User, r.Subject())
		if err != nil {
			return a.fail(ctx, r, "look for what was allowed", err)
		}
		if granted {
			return a.grant(r, "for always")
		}
	}
	if a.Asker == nil {
		return a.deny(r, "nobody can be asked", "%s would have to allow this, and can't be asked here.", r.User)
	}
	answer, err := a.Asker.Ask(ctx, r.question())
	if err != nil {
		return a.fail(ctx, r, "ask", err)
	}
	return a.answered(r, RuleAsk, answer)
}

// askForCode has the person show with a code that it is they who want it. There is no always.
func (a *Approver) askForCode(ctx context.Context, r Request) error {
	if a.Confirmer == nil {
		return a.deny(r, "no code can be asked for", "%s would have to allow this with a code, and can't be asked for one here.", r.User)
	}
	answer, err := a.Confirmer.Confirm(ctx, r.question())
	if supervisor.ErrorCode(err) == supervisor.CodeForbidden && ctx.Err() == nil {
		a.audit(r, denied, "no code can be asked for")
		return err
	}
	if err != nil {
		return a.fail(ctx, r, "ask for a code", err)
	}
	if answer == supervisor.AnswerAlways {
		answer = supervisor.AnswerNone
	}
	return a.answered(r, RuleStepUp, answer)
}

// question is what the person is asked. When it expires is its desk's affair.
func (r Request) question() supervisor.Question {
	return supervisor.Question{Conversation: r.Conversation, Turn: r.Turn, Inbound: r.Inbound, Kind: supervisor.QuestionApproval,
		Tool: r.Effect, Subject: r.Subject(), Text: r.Text}
}

// answered ends a request of somebody who was asked by a rule.
func (a *Approver) answered(r Request, rule Rule, answer supervisor.Answer) error {
	switch answer {
	case supervisor.AnswerOnce, supervisor.AnswerAlways:
		if err := a.recheck(r, rule); err != nil {
			return err
		}
		return a.grant(r, "by the person, "+string(answer))
	case supervisor.AnswerDeny:
		return a.deny(r, "by the person", "%s was asked and said no. Do not try it again unless they ask for it.", r.User)
	}
	return a.deny(r, "no answer", "%s was asked and did not answer in time, so it was not done.", r.User)
}

// strictness is how much a rule asks for. What is no rule is as strict as RuleDeny.
var strictness = map[Rule]int{RuleAllow: 1, RuleAsk: 2, RuleStepUp: 3}

// recheck denies what was answered with yes where that is not enough any more: somebody may have had an hour to answer, and
// lost their role, or the rules have changed. A rule that asks for less than was answered is no hindrance.
func (a *Approver) recheck(r Request, answered Rule) error {
	user, known := a.People(r.User)
	if !known {
		return a.deny(r, "nobody of that name any more", "%s may not speak here any more, so it was not done.", r.User)
	}
	rule := a.Policy.Rule(user, r.Effect)
	switch by := strictness[rule]; {
	case by == 0:
		return a.deny(r, "by a rule from after the question", "%s said yes, and the rules of this Mews have changed since: they do not let "+
			"%s do this any more (%s). It was not done.", r.User, r.User, r.Effect)
	case by > strictness[answered]:
		return a.deny(r, "by a rule from after the question", "%s said yes, and the rules of this Mews have changed since: this needs more "+
			"than that now (%s). It was not done; if it is tried again, %s is asked as the rules are now.", r.User, rule, r.User)
	}
	return nil
}

func (a *Approver) grant(r Request, how string) error {
	a.audit(r, allowed, how)
	return nil
}

func (a *Approver) deny(r Request, why, format string, args ...any) error {
	a.audit(r, denied, why)
	return &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(format, args...)}
}

func (a *Approver) fail(ctx context.Context, r Request, attempt string, err error) error {
	if ctx.Err() != nil {
		a.audit(r, withdrew, attempt)
		return context.Cause(ctx)
	}
	a.audit(r, failed, attempt)
	return fmt.Errorf("%s %s about %s: %w", attempt, r.User, r.Effect, err)
}

// audit keeps an outcome. No word of a person's is in it: what it was about is its digest.
func (a *Approver) audit(r Request, outcome, how string) {
	a.Audit(r.User, outcome, fmt.Sprintf("%s %s; turn %d, call %q, subject %s", r.Effect, how, r.Turn, r.Call, r.Subject()))
}
