package hosttest

import (
	"context"

	"mews/protocol"
)

// Answers answers the calls of one turn or operation, by method. It refuses all methods without an
// answer.
type Answers map[string]Answer

// Answer answers a call as host.Caller does.
type Answer func(ctx context.Context, params, result any) error

// Call answers a call.
func (a Answers) Call(ctx context.Context, method string, params, result any) error {
	answer, known := a[method]
	if !known {
		return protocol.MethodNotFoundError(method)
	}
	return answer(ctx, params, result)
}

// NewAnswer makes an Answer of a function. The parameters and the result of a call must have the
// function's types.
func NewAnswer[P, R any](answer func(context.Context, P) (R, error)) Answer {
	return func(ctx context.Context, params, result any) (err error) {
		*result.(*R), err = answer(ctx, *params.(*P))
		return err
	}
}
