package access

import (
	"context"
	"time"

	"mews/supervisor"
)

// actionUnexpected is what the audit log has of a right code that nothing waited for.
const actionUnexpected = "code.unasked"

// SpendUnexpected uses up a right code that nothing waits for, such as one that was asked for
// before the service was started anew; d is what Check has decided on the inbound. No word of the
// code is kept, and it opens nothing. It is used up because a code that is known to be right,
// without being asked for and without counting as a try, must not be good for anything afterwards.
// A code that was right a moment ago, such as one that was sent twice, is no words either. All
// other texts, and six digits that are no code of the person's, stay what they are. An error is
// ctx's alone.
func (g *Gate) SpendUnexpected(ctx context.Context, in supervisor.Inbound, d supervisor.GateDecision) (supervisor.GateDecision, error) {
	if in.Kind != supervisor.KindText || d.CheckCode != nil || d.Refusal != "" || !IsCode(in.Text) {
		return d, nil
	}
	u, why := g.activeUser(in.Conversation.User)
	f, known, err := g.o.Factors.Find(ctx, in.Conversation.User)
	if ctx.Err() != nil {
		return supervisor.GateDecision{}, context.Cause(ctx)
	}
	if why != "" || err != nil || !known || !f.Confirmed {
		return d, nil
	}
	v := verification{user: u, seal: g.o.Seal, text: in.Text}
	switch _, right := v.spend(f, g.o.Now()); {
	case right:
		d.CheckCode = v.decideUnexpected
	case v.isRecent(f, g.o.Now()):
		d.CheckCode = decideSpent
	}
	return d, nil
}

// isRecent says whether the code was right a moment ago, or would have been.
func (v verification) isRecent(f supervisor.Factor, now time.Time) bool {
	if appCode(v.text) == "" {
		return false
	}
	_, found, err := v.matchAppCode(f, now, recentPeriods)
	return found && err == nil
}

// decideSpent is a supervisor.Decide for a code that is good for nothing any more. It is no try.
func decideSpent(f supervisor.Factor, _ time.Time) (supervisor.Factor, supervisor.CodeResult) {
	return f, supervisor.CodeResult{Action: actionUnexpected, Text: textSpentCode}
}

// decideUnexpected is a supervisor.Decide that uses a code up.
func (v verification) decideUnexpected(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.CodeResult) {
	f, _ = v.spend(f, now)
	text := textUnexpectedCode + textNextCode
	if appCode(v.text) == "" {
		text = textUnexpectedCode + textRecoveryLeft(len(f.Recovery))
	}
	return f, supervisor.CodeResult{Action: actionUnexpected, Text: text}
}

// spend is a factor for which the code is not right any more. right says whether it was. That
// counts as no try.
func (v verification) spend(f supervisor.Factor, now time.Time) (_ supervisor.Factor, right bool) {
	if appCode(v.text) == "" {
		return withoutRecovery(f, v.text)
	}
	period, found, err := v.matchAppCode(f, now, validPeriods)
	if err != nil || !found || period <= f.LastPeriod {
		return f, false
	}
	f.LastPeriod = period
	return f, true
}
