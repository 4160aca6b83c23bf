package feature

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"mews/protocol"
	"mews/supervisor"
)

// HostCall is a row of the table of a worker's calls. A call ends the worker if it comes out of its
// phase, from another kind of turn, or over a limit.
type HostCall struct {
	Method string
	Kinds  []supervisor.TurnKind // the kinds of turns that may make the call
	Bytes  int                   // maximum of the parameters, as JSON; 0 means a line of the wire
	Limit  int                   // maximum of calls in one attempt at a turn; at least 1
	Serial bool                  // whether to refuse it while another serial call of the same turn runs
	Handler
}

// WithHome returns the kinds of turns that a user's own worker runs.
func WithHome() []supervisor.TurnKind {
	return []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob, supervisor.TurnMCP}
}

// ShortParams is the maximum of parameters without a user's text, in bytes.
const ShortParams = 16 << 10

// MaxName is the maximum length of a call's id, in bytes; ours are far shorter.
const MaxName = 64

// Handler answers a call in its turn. InTurn makes it.
type Handler struct {
	NewParams func() any             // a pointer to zero parameters
	NewResult func() any             // a pointer to a zero result
	TurnOf    func(params any) int64 // the turn that parameters name
	Answer    func(ctx context.Context, t Turn, params any) (result any, err error)
}

// InTurn makes the handler of a call with parameters P and result R. P has a field Turn, an int64.
// An Offence ends the worker. A protocol.Error, as from Refused, is the worker's answer. Of any
// other error, the worker gets the text for users.
func InTurn[P, R any](answer func(context.Context, Turn, *P) (*R, error)) Handler {
	field, ok := reflect.TypeFor[P]().FieldByName("Turn")
	if !ok || field.Type.Kind() != reflect.Int64 {
		return Handler{} // a handler that no table accepts
	}
	return Handler{
		NewParams: func() any { return new(P) },
		NewResult: func() any { return new(R) },
		TurnOf:    func(params any) int64 { return reflect.ValueOf(params).Elem().FieldByIndex(field.Index).Int() },
		Answer: func(ctx context.Context, t Turn, params any) (any, error) {
			result, err := answer(ctx, t, params.(*P))
			if result == nil {
				return nil, err
			}
			return *result, err
		},
	}
}

// Turn is the part of a worker's turn that a feature may see.
type Turn struct {
	User        string
	ID          int64
	Destination int64 // the conversation of its questions
	Kind        supervisor.TurnKind
	Resumed     bool // whether an earlier attempt has committed something
	// Committed returns a call of the model's last committed message that has no result yet.
	Committed func(id string) (call protocol.ToolCall, ok bool)
	// Commit repeats do while the disk is full or does not answer, until do succeeds or the turn
	// ends.
	Commit func(ctx context.Context, do func() error) error
	// Kept has the values that features keep for the rest of this attempt, by keys of their own
	// types.
	Kept *sync.Map
}

// CallOf returns the committed call that a worker names, with the model's arguments. A call of a
// tool other than tools is an Offence.
func (t Turn) CallOf(id string, tools ...string) (protocol.ToolCall, error) {
	if len(id) > MaxName {
		return protocol.ToolCall{}, Offence{fmt.Errorf("call: %d bytes, at most %d", len(id), MaxName)}
	}
	call, known := t.Committed(id)
	if !known || !slices.Contains(tools, call.Name) {
		return call, Offence{fmt.Errorf("call %q: not one of %v", id, tools)}
	}
	return call, nil
}

// Offence is an error that ends the worker, because no honest worker causes it.
type Offence struct{ Err error }

// Error returns the text of the wrapped error.
func (o Offence) Error() string { return o.Err.Error() }

// Refused returns the answer to a worker's impossible request; the model reads the reason.
func Refused(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeFailed, Message: fmt.Sprintf(format, args...)}
}
