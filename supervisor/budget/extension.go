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

// reserveWithExtension takes a lease for which there was too little, and asks the person to
// lengthen their limits for it, as far as they may. One caller of a turn asks at a time: what the
// others need may be there afterwards.
func (r *Reserver) reserveWithExtension(ctx context.Context, e modelcall.Estimate) (lease supervisor.Lease, err error) {
	var denied bool
	select {
	case denied = <-r.asking:
		defer func() { r.asking <- denied }()
	case <-ctx.Done():
		return lease, context.Cause(ctx)
	}
	// of what the limits were lengthened by, once this call has its part of that
	defer r.o.Advances.releases.Notify()
	// it ends, because each round lengthens the limits by something and there is a most
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
		if asked.Why == supervisor.QuestionNotNeeded {
			continue // there may be enough now
		}
		if denied = asked.Answer.Say != supervisor.SayOnce; denied {
			return lease, r.refused(e, short, textNotAllowed)
		}
		if err := r.extend(ctx, more); err != nil {
			return lease, err
		}
	}
}

// askAmounts are the amounts that a person is asked for, in millionths of a dollar, rising. They
// are asked for a little more than what is missing, so that they are not asked at every step.
var askAmounts = []int64{100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
	100_000_000}

// extendable are the scopes that a person may lengthen when asked.
var extendable = map[supervisor.Scope]bool{supervisor.ScopeTurn: true, supervisor.ScopeDay: true}

// extendableBy is the amount that the person is asked for: the smallest of askAmounts that covers
// all that is missing, or all that they may lengthen by today if that is less and covers it. 0:
// they are not asked.
func (r *Reserver) extendableBy(ctx context.Context, short []supervisor.Shortage) (int64, error) {
	missing := int64(0)
	for _, s := range short {
		if !extendable[s.Scope] {
			return 0, nil
		}
		missing = max(missing, s.Missing())
	}
	if r.o.Asker == nil || r.o.Turn == 0 || r.o.Limits.Extend < missing {
		return 0, nil
	}
	day, _ := Day(r.o.Now(), r.o.Zone)
	before, err := r.o.Leases.Extended(ctx, r.o.Conversation.User, day)
	if err != nil {
		return 0, err
	}
	return roundUp(missing, r.o.Limits.Extend-before), nil
}

// roundUp is the smallest of askAmounts that is not less than missing, and at most most; 0 where
// even that is less.
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

// question is what the person is asked. It is about this turn, these limits and this amount, and
// nothing else.
func (r *Reserver) question(e modelcall.Estimate, short []supervisor.Shortage, more int64) supervisor.Question {
	var scopes []string
	for _, s := range short {
		scopes = append(scopes, string(s.Scope))
	}
	subject := sha256.Sum256(fmt.Appendf(nil, "budget\n%d\n%s\n%d\n", r.o.Turn, strings.Join(scopes, ","), more))
	return supervisor.Question{Conversation: r.o.Destination, Turn: r.o.Turn, Kind: supervisor.QuestionBudget,
		Subject: hex.EncodeToString(subject[:]), Amount: more,
		Text: fmt.Sprintf(textMayExtend, r.shortages(e, short), money.Dollars(more))}
}

// extend lengthens the limits by what the person allowed. The store may do less where they were
// asked in two conversations at once; the next round sees what there is.
func (r *Reserver) extend(ctx context.Context, more int64) error {
	day, _ := Day(r.o.Now(), r.o.Zone)
	_, err := r.o.Leases.Extend(ctx, supervisor.Extension{User: r.o.Conversation.User, Turn: r.o.Turn, Amount: more,
		Max: r.o.Limits.Extend, Since: day})
	return err
}
