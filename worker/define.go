package worker

import (
	"context"
	"encoding/json"
	"fmt"

	"mews/protocol"
)

// Spec is a tool as the model is told of it. Properties and Required are parts of the JSON schema
// of its arguments, which are an object without any other members: the schema does not say so, for
// every request holds it, but Decode refuses them.
type Spec struct {
	Name        string
	Description string
	Effect      protocol.ToolEffect
	Properties  string // a JSON object
	Required    string // a JSON array; "" is none
	Family      string // as in protocol.Tool
}

// Define makes a tool of a function. A is the struct of its arguments; those that a call does not
// give are as in defaults.
func Define[A any](s Spec, defaults A, run func(context.Context, Call, A) (Result, error)) Tool {
	required := ""
	if s.Required != "" {
		required = `,"required":` + s.Required
	}
	schema := fmt.Sprintf(`{"type":"object","properties":%s%s}`, s.Properties, required)
	return Tool{
		Tool: protocol.Tool{Name: s.Name, Description: s.Description, Schema: json.RawMessage(schema), Effect: s.Effect, Family: s.Family},
		Run: func(ctx context.Context, call Call) (Result, error) {
			args := defaults
			if err := Decode(call, &args); err != nil {
				return Result{}, fmt.Errorf("%s: %w", s.Name, err)
			}
			return run(ctx, call, args)
		},
	}
}
