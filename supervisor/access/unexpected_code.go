package access

import (
	"context"
	"crypto/subtle"
	"slices"
	"time"

	"mews/supervisor"
)

// actionUnexpected is what is in the audit log of a right code that nothing waited for.
const actionUnexpected = "code.unasked"

// SpendUnexpected settles a text that nothing waits for and that is a right code as it is sent, such as one that was asked for before
// the service was started anew: m is what Meet has said of it. No word of it is kept, and it opens nothing. It is used up: what
// is found to be right without being asked for, and without being counted as a try, must not be good for anything afterwards.
// All other texts, and six digits that are no code of the person's, stay what they are. An error is ctx's alone.
func (g *Gate) SpendUnexpected(ctx context.Context, in supervisor.Inbound, m supervisor.GateDecision) (supervisor.GateDecision, error) {
	if in.Kind != supervisor.KindText || m.Decide != nil || m.Refused != "" || !IsCode(in.Text) {
		return m, nil
	}
	u, why := g.activeUser(in.Conversation.User)
	f, known, err := g.o.Factors.Find(ctx, in.Conversation.User)
	if ctx.Err() != nil {
		return supervisor.GateDecision{}, context.Cause(ctx)
	}
	if why != "" || err != nil || !known || !f.Confirmed {
		return m, nil
	}
	a := verification{user: u, seal: g.o.Seal, text: in.Text}
	if _, right := a.spend(f, g.o.Now()); right {
		m.Decide = a.decideUnexpected
	}
	return m, nil
}

// decideUnexpected is a supervisor.Decide that uses a code up and takes it for nothing.
func (a verification) decideUnexpected(f supervisor.Factor, now time.Time) (supervisor.Factor, supervisor.Verdict) {
	f, _ = a.spend(f, now)
	text := "I am not waiting for a code here. It was taken for nothing, and is used up. If I ask for one, send me the next that " +
		"your app shows."
	if appCode(a.text) == "" {
		text = "I am not waiting for a code here. It was taken for nothing, and is used up. " + leftText(f)
	}
	return f, supervisor.Verdict{Action: actionUnexpected, Text: text}
}

// spend is a factor by which a code is not right any more, if it was. It counts no tries.
func (a verification) spend(f supervisor.Factor, now time.Time) (supervisor.Factor, bool) {
	if appCode(a.text) != "" {
		secret, err := a.seal.Open(a.user.Name, f.Secret)
		if err != nil {
			return f, false
		}
		step, found, err := matchAppCode(appCode(a.text), string(secret), now)
		if err != nil || !found || step <= f.LastStep {
			return f, false
		}
		f.LastStep = step
		return f, true
	}
	kept, n := []byte(digest(recoveryDigits(a.text))), len(f.Recovery)
	f.Recovery = slices.DeleteFunc(slices.Clone(f.Recovery), func(d string) bool { return subtle.ConstantTimeCompare([]byte(d), kept) == 1 })
	return f, len(f.Recovery) < n
}
