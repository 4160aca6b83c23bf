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

// HostCall is a row of the table of what a worker may ask. A call out of its phase, of another kind
// of turn or over a limit ends the worker.
type HostCall struct {
	Method string
	Kinds  []supervisor.TurnKind // of turns that may make it
	Bytes  int                   // its parameters have at most, as JSON; 0 means a line of the wire
	Limit  int                   // calls in one attempt at a turn; at least 1
	Serial bool                  // not while another serial call of the same turn runs
	Handler
}

// WithHome are the kinds of turns that a person's own worker runs.
func WithHome() []supervisor.TurnKind {
	return []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob, supervisor.TurnMCP}
}

// ShortParams is what parameters without somebody's text may take, in bytes.
const ShortParams = 16 << 10

// MaxName is how long a call's id may be, in bytes; ours are far shorter.
const MaxName = 64

// Handler answers a call in its turn. InTurn makes it.
type Handler struct {
	NewParams func() any             // a pointer to zero parameters
	NewResult func() any             // a pointer to a zero result
	TurnOf    func(params any) int64 // the turn that parameters name
	Answer    func(ctx context.Context, t Turn, params any) (result any, err error)
}

// InTurn makes the handler of a call with parameters P and result R. P has a field Turn, an int64.
// An Offence ends the worker; a protocol.Error, as by Refused, is its answer; of any other error
// the worker is told what a person may read.
func InTurn[P, R any](answer func(context.Context, Turn, *P) (*R, error)) Handler {
	field, ok := reflect.TypeFor[P]().FieldByName("Turn")
	if !ok || field.Type.Kind() != reflect.Int64 {
		return Handler{} // which no table takes
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

// Turn is what a feature may know of the turn in which a worker calls.
type Turn struct {
	User        string
	ID          int64
	Destination int64 // the conversation where its questions go
	Kind        supervisor.TurnKind
	Resumed     bool // an earlier attempt has committed something
	// Committed is a call of the model's last committed message that has no result yet.
	Committed func(id string) (call protocol.ToolCall, ok bool)
	// Commit runs do until it succeeds or the turn ends, for as long as the disk is full or does
	// not answer.
	Commit func(ctx context.Context, do func() error) error
	// Kept has what features keep for the rest of this attempt, by keys of their own types.
	Kept *sync.Map
}

// CallOf is the committed call that a worker names, with the model's arguments. A call of a tool
// other than these is an offence.
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

// Offence is an error that ends the worker: no honest worker asks so.
type Offence struct{ Err error }

// Error is the error that it wraps.
func (o Offence) Error() string { return o.Err.Error() }

// Refused is the answer to a worker that asked for what cannot be; the model reads why.
func Refused(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeFailed, Message: fmt.Sprintf(format, args...)}
}
