package host

import (
	"context"
	"errors"
	"reflect"

	"mews/protocol"
)

// Caller makes calls to the supervisor for a turn or an operation.
type Caller interface {
	// Call makes a call. It puts the caller's id into params, a pointer to the parameters, and
	// reads the answer into result.
	Call(ctx context.Context, method string, params, result any) error
}

// CallMethod makes a call with parameters P and reads a result R. It overwrites the Turn or
// Operation of the parameters with the id of c. An error that is a *protocol.Error is the
// supervisor's answer.
func CallMethod[R, P any](ctx context.Context, c Caller, method string, params P) (result R, err error) {
	return result, c.Call(ctx, method, &params, &result)
}

// ExplainRefusal turns a supervisor's refusal into words for the model. Other errors stay.
// CodeWaitsForUser stays too, because the call is made again once the user has answered.
func ExplainRefusal(err error) error {
	if refused := new(protocol.Error); errors.As(err, &refused) && refused.Code != protocol.CodeWaitsForUser {
		return errors.New(refused.Message)
	}
	return err
}

// Call makes a call for the turn. The call may wait for the user, so only ctx bounds it.
func (t *Turn) Call(ctx context.Context, method string, params, result any) error {
	setID(params, "Turn", t.turn)
	return t.host.conn.Call(ctx, method, params, result)
}

// Call makes a call for the operation and waits at most callTimeout.
func (o *Operation) Call(ctx context.Context, method string, params, result any) error {
	setID(params, "Operation", o.id)
	return o.host.call(ctx, method, params, result)
}

// setID sets an id field of the struct that params points to.
func setID(params any, field string, id int64) {
	reflect.ValueOf(params).Elem().FieldByName(field).SetInt(id)
}
