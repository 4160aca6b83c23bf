package approval

import (
	"context"

	"mews/supervisor"
)

// Gate decides whether an inbound is accepted, as access.Gate does.
type Gate interface {
	Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error)
	// SpendUnexpectedCode uses up a valid code that no question asked for. d is the decision of
	// Check.
	SpendUnexpectedCode(ctx context.Context, in supervisor.Inbound, d supervisor.GateDecision) (supervisor.GateDecision,
		error)
	// DecideStepUp returns a check of a code against the user's factor, for one effect.
	DecideStepUp(user, code string) supervisor.LoginCodeChecker
}

// CodeGate is a Gate that also accepts the codes that waiting effects need.
type CodeGate struct {
	Gate          Gate
	Confirmations *Confirmations
	IsCode        func(text string) bool // says whether a text looks like a code
}

// Check decides whether an inbound is accepted. A code for a waiting effect confirms that effect.
func (c *CodeGate) Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
	d, err := c.Gate.Check(ctx, in)
	if err != nil || d.Refusal != "" || d.CheckCode != nil && d.Check == nil {
		return d, err
	}
	if in.Kind == supervisor.KindText && c.IsCode(in.Text) {
		code, err := c.Confirmations.checkCode(ctx, in, c.Gate.DecideStepUp(in.Conversation.User, in.Text))
		if err != nil || code.CheckCode != nil {
			return code, err
		}
	}
	return c.Gate.SpendUnexpectedCode(ctx, in, d)
}
