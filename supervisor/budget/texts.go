package budget

import (
	"fmt"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
)

// budgetError is the error of a call that is not paid for.
func budgetError(message string, err error) *supervisor.ModelError {
	return &supervisor.ModelError{Class: supervisor.ModelBudget, Err: &supervisor.Error{Code: supervisor.CodeBudget,
		Message: message, Err: err}}
}

func textUnpriced(spec string) string {
	return fmt.Sprintf("There is a limit on what may be spent, and no price is known for %s; add it under models.prices, or "+
		"choose another model with /model.", spec)
}

// scopeText is how a limit is told of.
type scopeText struct {
	limit string // its name, with a verb for the amount to follow
	anew  func(p *Reserver, now time.Time) string
	raise string
}

var scopeTexts = map[supervisor.Scope]scopeText{
	supervisor.ScopeTurn: {"your limit for one answer",
		func(*Reserver, time.Time) string { return "Every message that you send has a budget of its own." },
		"users[].budget.turn"},
	supervisor.ScopeDay: {"your limit for a day",
		func(p *Reserver, now time.Time) string { _, next := Day(now, p.o.Zone); return textBegins(next) },
		"users[].budget.day"},
	supervisor.ScopeMonth: {"your limit for a month",
		func(p *Reserver, now time.Time) string { _, next := Month(now, p.o.Zone); return textBegins(next) },
		"users[].budget.month"},
	supervisor.ScopeInstallation: {"the limit of everybody here together for a month",
		func(p *Reserver, now time.Time) string {
			_, next := Month(now, time.Local)
			return textBegins(next.In(p.o.Zone))
		}, "budget.month"},
}

func textBegins(at time.Time) string {
	return "It begins anew on " + at.Format("Monday, 2 January, at 15:04 MST.")
}

// refusedFor is the error of a call for which limits are too short: it tells of the first of them.
func (p *Reserver) refusedFor(b supervisor.Estimate, short []supervisor.Shortage, said string) error {
	s := short[0]
	words := scopeTexts[s.Scope]
	return budgetError(fmt.Sprintf("%s%s %s An admin can raise it (%s).", textShortage(b, s), said,
		words.anew(p, p.o.Now()), words.raise), nil)
}

// textShortage says how a limit is too short.
func textShortage(b supervisor.Estimate, s supervisor.Shortage) string {
	held, extended := "", ""
	if s.Held > 0 {
		held = fmt.Sprintf(", %s is set aside for calls that run", amount.Dollars(s.Held))
	}
	if s.Extended > 0 {
		extended = fmt.Sprintf(", lengthened by %s", amount.Dollars(s.Extended))
	}
	return fmt.Sprintf("Asking %s would go beyond %s, %s%s: %s was spent%s, and this may cost up to %s.", b.Spec,
		scopeTexts[s.Scope].limit, amount.Dollars(s.Max), extended, amount.Dollars(s.Spent), held,
		amount.Dollars(s.Wanted))
}
