package budget

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

// askForMore takes a lease for which there was too little, and has the person lengthen their limits for it, as far as they may.
// One asks at a time: what the others need may be there then.
func (p *Reserver) askForMore(ctx context.Context, b supervisor.Estimate) (lease int64, err error) {
	var denied bool
	select {
	case denied = <-p.asking:
		defer func() { p.asking <- denied }()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	for { // each round has the person lengthen by something, of which there is an end
		lease, short, err := p.take(ctx, b)
		if err != nil || len(short) == 0 {
			return lease, err
		}
		amount, err := p.allowedAmount(ctx, short)
		switch {
		case err != nil:
			return 0, err
		case amount == 0:
			return 0, p.refusedFor(b, short, "")
		case denied:
			return 0, p.refusedFor(b, short, " You said no to spending more in this turn.")
		}
		answer, err := p.o.Asker.Ask(ctx, p.question(b, short, amount))
		if err != nil {
			return 0, err
		}
		if denied = answer != supervisor.AnswerOnce; denied {
			return 0, p.refusedFor(b, short, " You did not say that more may be spent.")
		}
		if err := p.extend(ctx, amount); err != nil {
			return 0, err
		}
	}
}

// askAmounts are the amounts that a person is asked for, in millionths of a dollar. What they are asked for is a little more than
// what lacks, so that they are not asked at every step.
var askAmounts = []int64{100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
	100_000_000}

// extendable are the scopes that a person may lengthen when asked.
var extendable = map[supervisor.Scope]bool{supervisor.ScopeTurn: true, supervisor.ScopeDay: true}

// allowedAmount is the amount that the person is asked for: the smallest step that covers all that lacks, or all that they may
// lengthen by today if that is less and does. 0 is that they are not asked.
func (p *Reserver) allowedAmount(ctx context.Context, short []supervisor.Shortage) (int64, error) {
	lack := int64(0)
	for _, s := range short {
		if !extendable[s.Scope] {
			return 0, nil
		}
		lack = max(lack, s.Lack())
	}
	if p.o.Asker == nil || p.o.Limits.Extend < lack {
		return 0, nil
	}
	day, _ := Day(p.o.Now(), p.o.Zone)
	before, err := p.o.Leases.Extended(ctx, p.o.Conversation.User, day)
	if err != nil {
		return 0, err
	}
	return roundUp(lack, p.o.Limits.Extend-before), nil
}

// roundUp is the smallest step that is not less than lack, capped; 0 where even the cap is less.
func roundUp(lack, most int64) int64 {
	if most < lack {
		return 0
	}
	for _, s := range askAmounts {
		if s >= lack {
			return min(s, most)
		}
	}
	return lack
}

// question is what the person is asked. It is about this turn, these limits and this amount, and nothing else.
func (p *Reserver) question(b supervisor.Estimate, short []supervisor.Shortage, more int64) supervisor.Question {
	var which, why []string
	for _, s := range short {
		which, why = append(which, string(s.Scope)), append(why, textShortage(b, s))
	}
	subject := sha256.Sum256(fmt.Appendf(nil, "budget\n%d\n%s\n%d\n", p.o.Turn, strings.Join(which, ","), more))
	return supervisor.Question{Conversation: p.o.Conversation, Turn: p.o.Turn, Kind: supervisor.QuestionBudget,
		Subject: hex.EncodeToString(subject[:]), Amount: more,
		Text: strings.Join(why, " ") + " May I go on, and spend up to " + amount.Dollars(more) + " more?"}
}

// extend lengthens the limits by what the person allowed. It may be refused where they were asked in two conversations at
// once; what there is then is looked at again.
func (p *Reserver) extend(ctx context.Context, amount int64) error {
	day, _ := Day(p.o.Now(), p.o.Zone)
	_, err := p.o.Leases.Extend(ctx, supervisor.Extension{User: p.o.Conversation.User, Turn: p.o.Turn, Amount: amount,
		Max: p.o.Limits.Extend, Since: day})
	return err
}
