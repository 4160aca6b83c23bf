package access

import (
	"context"
	"time"

	"mews/supervisor"
)

// actionUnexpected is the audit action of a right code that nothing waited for.
const actionUnexpected = "code.unasked"

// SpendUnexpectedCode uses up a right code that nothing waits for. Such a code may have been asked
// for before a restart. d is the decision of Check. The code's text is not stored, and the code
// opens nothing. If it stayed valid, somebody could guess it without counted tries. A code that was
// right a moment ago is not stored either, such as a code that was sent twice. All other texts keep
// their decision, also six digits that are no code of the user. The only error is that of ctx.
func (g *Gate) SpendUnexpectedCode(ctx context.Context, in supervisor.Inbound,
	d supervisor.GateDecision) (supervisor.GateDecision, error) {
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

// isRecent says whether the code was valid in one of the recent periods.
func (v verification) isRecent(f supervisor.SecondFactor, now time.Time) bool {
	if appCode(v.text) == "" {
		return false
	}
	_, found, err := v.matchAppCode(f, now, recentPeriods)
	return found && err == nil
}

// decideSpent is a supervisor.LoginCodeChecker for a code that has expired. The code does not count
// as a try.
func decideSpent(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
	return f, supervisor.LoginCodeResult{Action: actionUnexpected, Text: textSpentCode}
}

// decideUnexpected is a supervisor.LoginCodeChecker that uses up a code that nothing waits for.
func (v verification) decideUnexpected(f supervisor.SecondFactor, now time.Time) (supervisor.SecondFactor,
	supervisor.LoginCodeResult) {
	f, _ = v.spend(f, now)
	text := textUnexpectedCode + textNextCode
	if appCode(v.text) == "" {
		text = textUnexpectedCode + textRecoveryLeft(len(f.Recovery))
	}
	return f, supervisor.LoginCodeResult{Action: actionUnexpected, Text: text}
}

// spend returns the factor after its code is used up, and whether the code was right. The code does
// not count as a try.
func (v verification) spend(f supervisor.SecondFactor, now time.Time) (_ supervisor.SecondFactor, right bool) {
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
