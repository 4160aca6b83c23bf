package budget

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/modelcall"
)

// Texts for a user about a call that the budget refuses.
const (
	textUnpriced = "There is a spending limit, and the price of %s is unknown, so I did not ask that model. Choose " +
		"another " +
		"model with /model; an admin can add the price (models.prices)."
	textNotServed   = "You may not speak here any more, so no model was asked."
	textUnreadable  = "Your budget could not be read, so %s was not asked. %s"
	textNotReserved = "I could not set the cost of %s aside, so I did not ask that model. %s"
	textDenied      = " You said no to spending more on this answer."
	textNotAllowed  = " I asked whether I may spend more, and you did not say yes in time."
	textRaise       = "%s%s %s An admin can raise the limit (%s)."
	textMayExtend   = "%s May I go on, and spend up to %s more? Yes raises your limits for this answer " +
		"and for today, but never for the month."

	textShortage = "Asking %s would go beyond %s, %s%s: %s was spent%s, and even a short answer may cost up to %s."
	// Groups get this text without figures.
	textShortagePlain = "Asking %s would go beyond %s: even a short answer may cost up to %s."
	textWaits         = "(⏳ The rest of the budget is set aside for other answers. I go on when one of them has ended.)"
	textHeld          = ", %s is set aside for answers under way"
	textExtended      = ", raised by %s"

	textEachTask    = "Each run has a budget of its own."
	textEachMessage = "Every message that you send has a budget of its own."
	textEachReview  = "Each review has a budget of its own."
	textEachTriage  = "Each triage has a budget of its own."
	layoutBegins    = "The limit begins anew on Monday, 2 January, at 15:04 MST."
)

// scopeText has two texts for a limit: its name with a verb before the amount, and its key in the
// configuration.
type scopeText struct{ limit, key string }

// scopeTexts has the texts of each limit. Limits of a review's or triage's turn have other texts.
var scopeTexts = map[supervisor.SpendingScope]scopeText{
	supervisor.ScopeTurn:          {"your limit for one answer", "users[].budget.turn"},
	supervisor.ScopeFire:          {"the limit for one task", "users[].budget.jobs.run"},
	supervisor.ScopeDay:           {"your limit for a day", "users[].budget.day"},
	supervisor.ScopeMonth:         {"your limit for a month", "users[].budget.month"},
	supervisor.ScopeJobDay:        {"the limit for a day of your tasks", "users[].budget.jobs.day"},
	supervisor.ScopeJobMonth:      {"the limit for a month of your tasks", "users[].budget.jobs.month"},
	supervisor.ScopePot:           {"this repository's limit for a day", "github.repos.day"},
	supervisor.ScopeRequestedWork: {"your limit for a day of reviews that you request", "github.review.person"},
	supervisor.ScopeInstallation:  {"the limit of everybody here together for a month", "budget.month"},
}

// turnTexts has the texts of a turn's limit by the turn's kind, and when the limit starts again.
var turnTexts = map[supervisor.TurnKind]struct {
	scopeText
	renewal string
}{
	supervisor.TurnReview: {scopeText{"the limit for one review", "github.review.budget"}, textEachReview},
	supervisor.TurnTriage: {scopeText{"the limit for one triage", "github.triage.budget"}, textEachTriage},
}

// textOf returns the texts of a limit of the turn.
func (r *Reserver) textOf(s supervisor.SpendingScope) scopeText {
	if of, ok := turnTexts[r.o.Kind]; ok && s == supervisor.ScopeTurn {
		return of.scopeText
	}
	return scopeTexts[s]
}

// renewal tells the user when a limit starts again.
func (r *Reserver) renewal(s supervisor.SpendingScope) string {
	var next time.Time
	switch now := r.o.Now(); s {
	case supervisor.ScopeFire:
		return textEachTask
	case supervisor.ScopeTurn:
		return cmp.Or(turnTexts[r.o.Kind].renewal, textEachMessage)
	case supervisor.ScopeDay, supervisor.ScopeJobDay, supervisor.ScopeRequestedWork:
		_, next = DayBounds(now, r.o.Zone)
	case supervisor.ScopePot:
		_, next = DayBounds(now, time.Local)
	case supervisor.ScopeMonth, supervisor.ScopeJobMonth:
		_, next = MonthBounds(now, r.o.Zone)
	default:
		_, next = MonthBounds(now, time.Local)
	}
	return next.In(r.o.Zone).Format(layoutBegins)
}

// budgetError returns the error of a call that the budget refuses.
func budgetError(message string, err error) *modelcall.Error {
	return &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{Code: supervisor.CodeBudgetExceeded,
		Message: message, Err: err}}
}

// refused returns the error of a call for which the limits are too low. It names the first limit,
// and tells why the limit was not extended.
func (r *Reserver) refused(e modelcall.CostEstimate, short []supervisor.BudgetShortage, because string) error {
	scope := short[0].Scope
	return budgetError(fmt.Sprintf(textRaise, r.shortages(e, short[:1]), because, r.renewal(scope), r.textOf(scope).key), nil)
}

// shortages describes the limits that are too low. In a group it leaves out the user's figures.
// Only admins see the figures of all users.
func (r *Reserver) shortages(e modelcall.CostEstimate, short []supervisor.BudgetShortage) string {
	var list []string
	for _, s := range short {
		if r.o.Destination.IsInGroup() || s.Scope == supervisor.ScopeInstallation && !r.o.Admin {
			list = append(list, fmt.Sprintf(textShortagePlain, e.Spec, r.textOf(s.Scope).limit,
				money.FormatDollars(s.Wanted)))
			continue
		}
		held, extended := "", ""
		if s.Held > 0 {
			held = fmt.Sprintf(textHeld, money.FormatDollars(s.Held))
		}
		if s.Extended > 0 {
			extended = fmt.Sprintf(textExtended, money.FormatDollars(s.Extended))
		}
		list = append(list, fmt.Sprintf(textShortage, e.Spec, r.textOf(s.Scope).limit, money.FormatDollars(s.Max),
			extended,
			money.FormatDollars(s.Spent), held, money.FormatDollars(s.Wanted)))
	}
	return strings.Join(list, " ")
}
