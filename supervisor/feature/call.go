package feature

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// Call is a row of the table of calls that programs make to the service, such as `mews memory`. A
// call comes over the control socket, with JSON parameters. NewCall makes its Answer.
type Call struct {
	Name       string
	AdminsOnly bool // otherwise any user with an account may call
	Answer     func(ctx context.Context, by Caller, req *protocol.Request) (any, error)
}

// Caller is the account that makes a call.
type Caller struct {
	UID   uint32 // the user id of the calling process
	Admin bool
	// UserFor returns the owner of the data in a call: the named user, or the caller if name is "".
	// Only an admin may name another user; then action is audited, unless it is "".
	UserFor func(user, action string) (supervisor.User, error)
}

// NewCall returns a call of a function with decoded parameters. It refuses unknown keys.
func NewCall[P, R any](name string, answer func(context.Context, Caller, P) (R, error)) Call {
	return Call{Name: name, Answer: func(ctx context.Context, by Caller, req *protocol.Request) (any, error) {
		var p P
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		return answer(ctx, by, p)
	}}
}
