package approval

import (
	"context"

	"mews/supervisor"
)

// Gate decides what becomes of an inbound, as access's Gate does.
type Gate interface {
	Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error)
	// SpendUnexpected uses up a right code that nothing waits for. d is what Check has decided.
	SpendUnexpected(ctx context.Context, in supervisor.Inbound, d supervisor.GateDecision) (supervisor.GateDecision, error)
	// DecideStepUp holds a code against a person's factor for one effect.
	DecideStepUp(user, code string) supervisor.CheckCode
}

// CodeCheck is a Gate behind which a code may confirm an effect that waits for one.
type CodeCheck struct {
	Gate          Gate
	Confirmations *Confirmations
	IsCode        func(text string) bool // says whether a text looks like a code
}

// Check decides what becomes of an inbound.
func (c *CodeCheck) Check(ctx context.Context, in supervisor.Inbound) (supervisor.GateDecision, error) {
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
	return c.Gate.SpendUnexpected(ctx, in, d)
}
