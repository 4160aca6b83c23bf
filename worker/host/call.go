package host

import (
	"context"
	"errors"
	"reflect"

	"mews/protocol"
)

// Caller makes calls of the supervisor for a turn or an operation.
type Caller interface {
	// Call makes a call. params points to its parameters, into which it puts the caller's id, and
	// result to what its answer is read into.
	Call(ctx context.Context, method string, params, result any) error
}

// Call makes a call with parameters P and a result R. The parameters' Turn or Operation is the
// caller's, whatever they say. An error that is a *protocol.Error is the supervisor's answer.
func Call[R, P any](ctx context.Context, c Caller, method string, params P) (result R, err error) {
	return result, c.Call(ctx, method, &params, &result)
}

// Refusal returns the supervisor's refusal of a call in the words that it has for the model. Any
// other error stays as it is, and so does CodeWaits: the call is made again once the person has
// answered.
func Refusal(err error) error {
	if refused := new(protocol.Error); errors.As(err, &refused) && refused.Code != protocol.CodeWaits {
		return errors.New(refused.Message)
	}
	return err
}

// Call is Caller's, for a turn. It may wait for a person, so only ctx bounds it.
func (t *Turn) Call(ctx context.Context, method string, params, result any) error {
	setID(params, "Turn", t.turn)
	return t.host.conn.Call(ctx, method, params, result)
}

// Call is Caller's, for an operation. It waits for the supervisor's disk at most.
func (o *Operation) Call(ctx context.Context, method string, params, result any) error {
	setID(params, "Operation", o.id)
	return o.host.call(ctx, method, params, result)
}

// setID sets a field of the struct that params points to.
func setID(params any, field string, id int64) {
	reflect.ValueOf(params).Elem().FieldByName(field).SetInt(id)
}
