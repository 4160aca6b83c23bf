package feature

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// Call is a row of the table of what programs ask of the service, such as `mews memory`: over the
// control socket, with JSON parameters. NewCall makes its Answer.
type Call struct {
	Name       string
	AdminsOnly bool // else anybody with an account may call
	Answer     func(ctx context.Context, by Caller, req *protocol.Request) (any, error)
}

// Caller is who makes a call.
type Caller struct {
	UID   uint32 // of the process
	Admin bool
	// Whose is the person whose data a call is about: the one named, or with "" the caller. Only an
	// admin may name somebody else; the audit log keeps the action then, unless it is "".
	Whose func(user, action string) (supervisor.User, error)
}

// NewCall makes a call of a function that takes its parameters. Unknown keys are refused.
func NewCall[P, R any](name string, answer func(context.Context, Caller, P) (R, error)) Call {
	return Call{Name: name, Answer: func(ctx context.Context, by Caller, req *protocol.Request) (any, error) {
		var p P
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		return answer(ctx, by, p)
	}}
}
