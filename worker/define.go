package worker

import (
	"context"
	"fmt"

	"mews/protocol"
)

// ToolSpec is a tool as the model sees it. A call takes only these arguments. The schema does not
// forbid other arguments, because a longer schema would be part of every request. DecodeArguments
// refuses them.
type ToolSpec struct {
	Name        string
	Description string
	Effect      protocol.ToolEffect
	Family      string // family of the tool, as in protocol.Tool
	Arguments   []Argument
}

// DefineTool makes a tool of a function. A is the struct of its arguments; defaults holds the
// values of arguments that a call omits.
func DefineTool[A any](s ToolSpec, defaults A, run func(context.Context, Call, A) (Result, error)) Tool {
	return Tool{
		Tool: protocol.Tool{Name: s.Name, Description: s.Description, Schema: schemaOf(s.Arguments), Effect: s.Effect, Family: s.Family},
		Run: func(ctx context.Context, call Call) (Result, error) {
			args := defaults
			if err := DecodeArguments(call, &args); err != nil {
				return Result{}, fmt.Errorf("%s: %w", s.Name, err)
			}
			return run(ctx, call, args)
		},
	}
}
