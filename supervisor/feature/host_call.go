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

// HostCall is a call that workers may make to the service. A call in a wrong phase or kind of turn,
// or over a limit, ends the worker.
type HostCall struct {
	Method string
	Kinds  []supervisor.TurnKind // the kinds of turns that may make the call
	Bytes  int                   // the most bytes of the parameters as JSON; 0 means the limit of a protocol line
	Limit  int                   // the most calls in one attempt at a turn; at least 1
	Serial bool                  // refuses the call while another serial call of the same turn runs
	// Checks lets a check with a command make the call too. The Turn of such a call has no ID.
	Checks bool
	HostCallHandler
}

// OwnWorkerTurnKinds returns the kinds of turns that run in a user's own worker.
func OwnWorkerTurnKinds() []supervisor.TurnKind {
	return []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob, supervisor.TurnMCP}
}

// MaxShortParamsBytes is the most bytes of parameters that have no text of a user.
const MaxShortParamsBytes = 16 << 10

// MaxCallIDBytes is the most bytes of a tool call's id. The ids that Mews makes are far shorter.
const MaxCallIDBytes = 64

// HostCallHandler answers a host call of a turn. NewHostCallHandler makes a handler.
type HostCallHandler struct {
	NewParams func() any             // returns a pointer to zero parameters
	NewResult func() any             // returns a pointer to a zero result
	TurnOf    func(params any) int64 // returns the turn that the parameters name
	// OperationOf returns the operation that the parameters name; 0 means none.
	OperationOf func(params any) int64
	Answer      func(ctx context.Context, t Turn, params any) (result any, err error)
}

// NewHostCallHandler makes the handler of a host call with parameters P and result R. P has a field
// Turn, an int64. If answer returns a WorkerOffence, the worker ends. A protocol.Error is the
// worker's answer. For any other error, the worker gets the text for users.
func NewHostCallHandler[P, R any](answer func(context.Context, Turn, *P) (*R, error)) HostCallHandler {
	field, ok := reflect.TypeFor[P]().FieldByName("Turn")
	if !ok || field.Type.Kind() != reflect.Int64 {
		return HostCallHandler{} // no table accepts the empty handler
	}
	return HostCallHandler{
		NewParams: func() any { return new(P) },
		NewResult: func() any { return new(R) },
		TurnOf:    func(params any) int64 { return reflect.ValueOf(params).Elem().FieldByIndex(field.Index).Int() },
		OperationOf: func(params any) int64 {
			if id := reflect.ValueOf(params).Elem().FieldByName("Operation"); id.IsValid() {
				return id.Int()
			}
			return 0
		},
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
	Destination int64 // the conversation of the turn's questions
	Kind        supervisor.TurnKind
	Resumed     bool // an earlier attempt of the turn has committed something
	// Committed returns a tool call of the model's last committed message that has no result yet.
	Committed func(id string) (call protocol.ToolCall, ok bool)
	// Commit calls the function do until do succeeds or the turn ends. It repeats the call while
	// the disk is full or does not answer.
	Commit func(ctx context.Context, do func() error) error
	// Kept has the values that features keep for the rest of this attempt. Each feature's keys have
	// their own types.
	Kept *sync.Map
}

// FindCall returns the committed tool call that a worker names, with the model's arguments. If the
// call's tool is not one of tools, the error is a WorkerOffence.
func (t Turn) FindCall(id string, tools ...string) (protocol.ToolCall, error) {
	if len(id) > MaxCallIDBytes {
		return protocol.ToolCall{}, WorkerOffence{fmt.Errorf("call: %d bytes, at most %d", len(id), MaxCallIDBytes)}
	}
	call, known := t.Committed(id)
	if !known || !slices.Contains(tools, call.Name) {
		return call, WorkerOffence{fmt.Errorf("call %q: not one of %v", id, tools)}
	}
	return call, nil
}

// WorkerOffence is an error that ends the worker, because no honest worker causes it.
type WorkerOffence struct{ Err error }

// Error returns the text of the wrapped error.
func (o WorkerOffence) Error() string { return o.Err.Error() }

// NewRefusal returns the answer to a worker's impossible request. The model reads the reason.
func NewRefusal(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeFailed, Message: fmt.Sprintf(format, args...)}
}
