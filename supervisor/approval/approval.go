package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mews/supervisor"
)

// Grants finds the effects that users have allowed for always.
type Grants interface {
	HasGrant(ctx context.Context, user, subject string) (bool, error)
}

// Asker asks users questions.
type Asker interface {
	// Ask asks a question and returns it once it has ended. For a turn it returns
	// supervisor.ErrWaitsForAnswer while the question is open. For a command it waits until the
	// question or ctx ends.
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// Confirmer asks users for a code that proves their identity. Confirmations implements it.
type Confirmer interface {
	// RefuseSecondQuestion returns an error if the user can't be asked for the code of a question.
	// The error is a supervisor.Error with CodeForbidden and a text for the user.
	RefuseSecondQuestion(ctx context.Context, q supervisor.Question) error
}

// Approver allows or denies effects. It may be used from several goroutines.
type Approver struct {
	// returns false if the user is unknown or may not speak now
	FindUser  func(name string) (supervisor.User, bool)
	Policy    *Policy
	Grants    Grants
	Asker     Asker
	Confirmer Confirmer
	// Origins returns the origins of the words of others in a turn's request; none means that the
	// turn is not tainted. nil means that no turn is.
	Origins func(ctx context.Context, turn int64) ([]string, error)
	// QuestionChat returns the chat in which a turn's question is asked. The argument in is the
	// chat of the request. nil means that this is always the chat of the request.
	QuestionChat func(ctx context.Context, turn int64, in supervisor.Conversation) (supervisor.Conversation, error)
	Audit        func(user, action, detail string) // writes to the audit log; never blocks
}

// Actions of the audit log, one for each outcome of a request.
const (
	auditAllowed   = "approval.allowed"
	auditDenied    = "approval.denied"
	auditFailed    = "approval.failed"   // the rules or the answer could not be read
	auditWithdrawn = "approval.withdrew" // the turn ended while the question was open
)

// Allow returns nil if the effect may happen now, once. It checks the user and the rules again
// after the answer to a question. A supervisor.Error with CodeForbidden denies the effect, with a
// text for the model and the user. Any other error means that the decision failed, and the effect
// is denied too. Allow returns supervisor.ErrWaitsForAnswer while the user of a turn has not
// answered. For a command it waits for the answer or the end of ctx.
func (a *Approver) Allow(ctx context.Context, r Request) error {
	user, known := a.FindUser(r.User)
	if !known {
		return a.deny(r, "nobody of that name", textNobody, r.User)
	}
	tainted, err := a.findOrigins(ctx, r)
	if err != nil {
		return a.fail(ctx, r, "look whose words the turn has read", err)
	}
	if r.Tainted = len(tainted) > 0; r.Tainted && !r.NamesOrigins {
		r.Text += fmt.Sprintf(textTainted, DescribeOrigins(tainted))
	}
	switch rule := a.Policy.RuleOf(user, r, r.Tainted); {
	case rule == RuleAllow:
		return a.allow(r, "by rule")
	case r.Unasked && rule != RuleDeny:
		return a.deny(r, "would need a question", textUnasked, r.User)
	case rule == RuleAsk && r.AsksItself:
		return a.allow(r, "by rule, since the person sees it first")
	case rule == RuleAsk:
		return a.ask(ctx, r)
	case rule == RuleStepUp:
		return a.askForCode(ctx, r)
	}
	if a.Policy.RuleOf(user, r, false) == RuleDeny {
		return a.deny(r, "by rule", textDeniedRule, r.User, r.Effect)
	}
	return a.deny(r, "by rule for words of others", textDeniedTainted, r.User, r.Effect, DescribeOrigins(tainted))
}

// FindRule returns the rule of a request. It asks nobody.
func (a *Approver) FindRule(ctx context.Context, r Request) (Rule, error) {
	user, known := a.FindUser(r.User)
	if !known {
		return RuleDeny, nil
	}
	tainted, err := a.findOrigins(ctx, r)
	return a.Policy.RuleOf(user, r, len(tainted) > 0), err
}

// findOrigins returns the origins that taint a request.
func (a *Approver) findOrigins(ctx context.Context, r Request) ([]string, error) {
	turn := cmp.Or(r.TaintedBy, r.Turn)
	if turn == 0 || a.Origins == nil {
		return nil, nil
	}
	return a.Origins(ctx, turn)
}

// ask asks the user, unless the user has allowed exactly this effect for always.
func (a *Approver) ask(ctx context.Context, r Request) error {
	granted, err := a.Grants.HasGrant(ctx, r.User, r.Subject())
	if err != nil {
		return a.fail(ctx, r, "look for what was allowed", err)
	}
	if granted {
		return a.allow(r, "for always")
	}
	var asked supervisor.Question
	q, err := a.question(ctx, r, supervisor.QuestionApproval)
	if err == nil {
		asked, err = a.Asker.Ask(ctx, q)
	}
	if err != nil {
		return a.fail(ctx, r, "ask", err)
	}
	return a.resolve(r, RuleAsk, asked.Answer)
}

// askForCode asks the user for a code. The code allows the effect once, and never for always.
func (a *Approver) askForCode(ctx context.Context, r Request) error {
	q, err := a.question(ctx, r, supervisor.QuestionLoginCode)
	if err == nil {
		err = a.Confirmer.RefuseSecondQuestion(ctx, q)
	}
	if supervisor.ErrorCodeOf(err) == supervisor.CodeForbidden && ctx.Err() == nil {
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
	if asked.Answer.Say == supervisor.AnswerChoiceAlways { // a code never means "always"
		asked.Answer.Say = supervisor.AnswerChoiceNone
	}
	return a.resolve(r, RuleStepUp, asked.Answer)
}

// question returns the question to the user. The Asker sets the question's expiry.
func (a *Approver) question(ctx context.Context, r Request, kind supervisor.QuestionKind) (supervisor.Question, error) {
	var err error
	if in := r.Conversation; a.QuestionChat != nil && r.Turn != 0 {
		r.Conversation, err = a.QuestionChat(ctx, r.Turn, in)
		if r.Conversation.ID != in.ID {
			r.Text += textAskedInPrivate
		}
	}
	q := supervisor.Question{Conversation: r.Conversation, Turn: r.Turn, Inbound: r.Inbound, Call: r.Call, Kind: kind, Tool: r.Effect,
		Subject: r.Subject(), Text: r.Text}
	if kind == supervisor.QuestionLoginCode {
		q.Text = fmt.Sprintf(textAskForCode, r.Text)
	}
	return q, err
}

// resolve ends a request according to the answer to its question. rule is the rule that required
// the question.
func (a *Approver) resolve(r Request, rule Rule, said supervisor.Answer) error {
	switch {
	case said.Say == supervisor.AnswerChoiceOnce, said.Say == supervisor.AnswerChoiceAlways:
		if err := a.recheck(r, rule); err != nil {
			return err
		}
		return a.allow(r, "by the person, "+string(said.Say))
	case said.Skipped && said.Text != "":
		return a.deny(r, "by the person, who wrote something else", textWroteInstead, r.User, said.Text)
	case said.Skipped:
		return a.deny(r, "by the person, who skipped the question", textSkipped, r.User)
	case said.Say == supervisor.AnswerChoiceNo:
		return a.deny(r, "by the person", textDenied, r.User)
	}
	return a.deny(r, "no answer", textNoAnswer, r.User)
}

// recheck denies an effect if the answer is no longer enough. The user may have taken an hour to
// answer. Meanwhile the user may have lost their role, or the rules may have become stricter. A
// milder rule changes nothing.
func (a *Approver) recheck(r Request, answered Rule) error {
	user, known := a.FindUser(r.User)
	if !known {
		return a.deny(r, "nobody of that name any more", textNoLonger, r.User)
	}
	rule := a.Policy.RuleOf(user, r, r.Tainted)
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
		return err // the next call of Ask returns the answer
	case ctx.Err() != nil:
		a.audit(r, auditWithdrawn, attempt)
		return context.Cause(ctx)
	}
	a.audit(r, auditFailed, attempt)
	return fmt.Errorf("%s %s about %s: %w", attempt, r.User, r.Effect, err)
}

// audit writes an outcome to the audit log. The entry has the digest of the subject instead of the
// user's words.
func (a *Approver) audit(r Request, outcome, how string) {
	a.Audit(r.User, outcome, fmt.Sprintf("%s %s; turn %d, call %q, subject %s", r.Effect, how, r.Turn, r.Call, r.Subject()))
}
