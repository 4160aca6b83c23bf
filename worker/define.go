package worker

import (
	"context"
	"fmt"

	"mews/protocol"
)

// Spec is a tool as the model is told of it. A call has no other members than these arguments: the
// schema does not say so, for every request holds it, but Decode refuses them.
type Spec struct {
	Name        string
	Description string
	Effect      protocol.ToolEffect
	Family      string // as in protocol.Tool
	Arguments   []Argument
}

// Define makes a tool of a function. A is the struct of its arguments; those that a call does not
// give are as in defaults.
func Define[A any](s Spec, defaults A, run func(context.Context, Call, A) (Result, error)) Tool {
	return Tool{
		Tool: protocol.Tool{Name: s.Name, Description: s.Description, Schema: schemaOf(s.Arguments), Effect: s.Effect, Family: s.Family},
		Run: func(ctx context.Context, call Call) (Result, error) {
			args := defaults
			if err := Decode(call, &args); err != nil {
				return Result{}, fmt.Errorf("%s: %w", s.Name, err)
			}
			return run(ctx, call, args)
		},
	}
}
