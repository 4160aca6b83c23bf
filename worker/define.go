package worker

import (
	"context"
	"fmt"

	"mews/protocol"
)

// Spec is a tool as the model sees it. A call takes only these arguments. The schema does not
// forbid other arguments, because a longer schema would be part of every request. Decode refuses
// them.
type Spec struct {
	Name        string
	Description string
	Effect      protocol.ToolEffect
	Family      string // family of the tool, as in protocol.Tool
	Arguments   []Argument
}

// Define makes a tool of a function. A is the struct of its arguments; defaults holds the values of
// arguments that a call omits.
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
