package budget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/internal/money"
	"mews/supervisor/modelcall"
)

// reserveWithExtension takes a lease after it has asked the user to extend the limits. Only one
// call of a turn asks at a time, because one answer may be enough for all.
func (r *Reserver) reserveWithExtension(ctx context.Context, e modelcall.CostEstimate) (lease supervisor.Lease,
	err error) {
	var denied bool
	select {
	case denied = <-r.asking:
		defer func() { r.asking <- denied }()
	case <-ctx.Done():
		return lease, context.Cause(ctx)
	}
	// other calls may use the rest of the extension
	defer r.o.Advances.releases.Notify()
	// The loop ends, because each round extends the limits, and extensions have a maximum.
	for {
		lease, short, err := r.takeLease(ctx, e, 0)
		if err != nil || len(short) == 0 {
			return lease, err
		}
		more, err := r.extendableBy(ctx, short)
		switch {
		case err != nil:
			return lease, err
		case more == 0:
			return lease, r.refused(e, short, "")
		case denied:
			return lease, r.refused(e, short, textDenied)
		}
		asked, err := r.o.Asker.Ask(ctx, r.question(e, short, more))
		if err != nil {
			return lease, err
		}
		if asked.End == supervisor.QuestionNotNeeded {
			continue // the limits may be high enough now
		}
		if denied = asked.Answer.Say != supervisor.AnswerChoiceOnce; denied {
			return lease, r.refused(e, short, textNotAllowed)
		}
		if err := r.extend(ctx, more); err != nil {
			return lease, err
		}
	}
}

// askAmounts are the amounts that a user is asked for, in millionths of a dollar, the lowest first.
// They exceed the shortfall, so that the user is not asked for every call.
var askAmounts = []int64{100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
	100_000_000}

// extendable are the scopes of the limits that a user may extend.
var extendable = map[supervisor.SpendingScope]bool{supervisor.ScopeTurn: true, supervisor.ScopeDay: true}

// extendableBy returns the amount to ask the user for; 0 means not to ask. It is the smallest of
// askAmounts that covers the shortfall, but at most the extension that the user may still get
// today. If that is less than the shortfall, the amount is 0.
func (r *Reserver) extendableBy(ctx context.Context, short []supervisor.BudgetShortage) (int64, error) {
	missing := int64(0)
	for _, s := range short {
		if !extendable[s.Scope] {
			return 0, nil
		}
		missing = max(missing, s.MissingAmount())
	}
	if r.o.Asker == nil || r.o.Turn == 0 || r.o.Limits.Extend < missing {
		return 0, nil
	}
	day, _ := DayBounds(r.o.Now(), r.o.Zone)
	before, err := r.o.Leases.SumLimitExtensions(ctx, r.o.Conversation.User, day)
	if err != nil {
		return 0, err
	}
	return roundUp(missing, r.o.Limits.Extend-before), nil
}

// roundUp returns the smallest of askAmounts that is at least missing, but never more than most. It
// returns 0 if missing is more than most.
func roundUp(missing, most int64) int64 {
	if most < missing {
		return 0
	}
	i, _ := slices.BinarySearch(askAmounts, missing)
	if i == len(askAmounts) {
		return missing
	}
	return min(askAmounts[i], most)
}

// question returns the question to the user, about this turn, these limits and this amount.
func (r *Reserver) question(e modelcall.CostEstimate, short []supervisor.BudgetShortage,
	more int64) supervisor.Question {
	var scopes []string
	for _, s := range short {
		scopes = append(scopes, string(s.Scope))
	}
	subject := sha256.Sum256(fmt.Appendf(nil, "budget\n%d\n%s\n%d\n", r.o.Turn, strings.Join(scopes, ","), more))
	return supervisor.Question{Conversation: r.o.Destination, Turn: r.o.Turn, Kind: supervisor.QuestionBudget,
		Subject: hex.EncodeToString(subject[:]), Amount: more,
		Text: fmt.Sprintf(textMayExtend, r.shortages(e, short), money.FormatDollars(more))}
}

// extend extends the limits by the allowed amount. If two conversations asked the user at once, the
// store may extend by less. The caller's next round notices that.
func (r *Reserver) extend(ctx context.Context, more int64) error {
	day, _ := DayBounds(r.o.Now(), r.o.Zone)
	_, err := r.o.Leases.ExtendLimits(ctx, supervisor.LimitExtension{User: r.o.Conversation.User, Turn: r.o.Turn,
		Amount: more,
		Max:    r.o.Limits.Extend, Since: day})
	return err
}
