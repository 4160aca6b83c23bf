package feature

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
)

// ControlCall is a call that programs make to the service, such as `mews memory`. It comes over the
// control socket, with JSON parameters. NewControlCall makes a ControlCall.
type ControlCall struct {
	Name       string
	AdminsOnly bool // only admins may call; otherwise any user with an account may
	Answer     func(ctx context.Context, by Caller, req *protocol.Request) (any, error)
}

// Caller is the account of the process that makes a call.
type Caller struct {
	UID   uint32 // the user id of the calling process
	Admin bool
	// UserFor returns the owner of the data in a call: the named user, or the caller if name is "".
	// Only an admin may name another user. Then the audit log gets the action, unless action is "".
	UserFor func(user, action string) (supervisor.User, error)
}

// NewControlCall returns a call that runs a function with decoded parameters. It refuses unknown
// keys.
func NewControlCall[P, R any](name string, answer func(context.Context, Caller, P) (R, error)) ControlCall {
	return ControlCall{Name: name, Answer: func(ctx context.Context, by Caller, req *protocol.Request) (any, error) {
		var p P
		if err := req.DecodeParams(&p); err != nil {
			return nil, err
		}
		return answer(ctx, by, p)
	}}
}
