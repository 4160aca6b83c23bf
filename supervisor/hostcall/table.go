package hostcall

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// phase says when a message of the worker is valid. Phases can be combined with |.
type phase uint8

const (
	inTurn      phase = 1 << iota // while the turn that the message names runs
	inOperation                   // while the operation that the message names runs
	anyTime                       // always after the handshake; the message names no turn or operation
)

func (p phase) String() string {
	return map[phase]string{inTurn: "turn", inOperation: "operation", anyTime: "worker"}[p]
}

// withArticle returns "a turn", "an operation" or "a worker".
func (p phase) withArticle() string {
	if p == inOperation {
		return "an " + p.String()
	}
	return "a " + p.String()
}

// row is a method's entry in the table of calls. If the handler in the row has the function note,
// the method is a notification.
type row struct {
	method string
	phase  phase
	// kinds of turns in which the method is valid. For a message without a turn, all running turns
	// must be of these kinds. nil means all kinds
	kinds []supervisor.TurnKind
	// maximum of the parameters as JSON, in bytes; 0 means the wire's limit for a line
	bytes  int
	limit  int  // maximum of calls in one turn or operation, or during the worker's life
	serial bool // whether the method's calls may not overlap in a turn or operation
	handler
}

// Kinds of turns, grouped by the calls that their workers may make.
var (
	withHome = feature.OwnWorkerTurnKinds()
	// turns in a one-shot worker, which only reads
	oneShot = []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage}
	anyKind = slices.Concat(withHome, oneShot)
)

// Limits of the size of parameters, in bytes.
const (
	shortParams = feature.MaxShortParamsBytes
	chunkParams = protocol.MaxBlobChunkBytes*4/3 + shortParams // base64 makes data a third longer
)

// core maps the core's methods to their rows.
var core = byMethod(slices.Concat(toolRows, findRows, modelRows, stepRows, eventRows, blobRows, chatRows, activityRows,
	questionRows, operationRows, indexRows, diskRows, reminderRows))

func byMethod(rows []row) map[string]row {
	all := map[string]row{}
	for _, r := range rows {
		all[r.method] = r
	}
	return all
}

// CallTable holds all methods that a worker may call. The zero value has only the core's methods.
type CallTable struct{ features map[string]row }

// NewCallTable returns a table of the core's and the features' methods. It refuses a duplicate
// method, a method without a limit, and a method that could never be called.
func NewCallTable(features ...feature.HostCall) (CallTable, error) {
	t := CallTable{features: map[string]row{}}
	for _, call := range features {
		switch _, taken := t.find(call.Method); {
		case taken:
			return t, fmt.Errorf("host call %s: there are two of that method", call.Method)
		case call.Answer == nil:
			return t, fmt.Errorf("host call %s: its parameters name no turn", call.Method)
		case call.Limit < 1 || len(call.Kinds) == 0:
			return t, fmt.Errorf("host call %s: it has no limit, or no kind of turn may make it", call.Method)
		}
		t.features[call.Method] = rowOf(call)
	}
	return t, nil
}

// find returns the row of a method; known is false for an unknown method.
func (t CallTable) find(method string) (r row, known bool) {
	if r, known = core[method]; !known {
		r, known = t.features[method]
	}
	return r, known
}

// Methods lists the names of all methods, sorted.
func (t CallTable) Methods() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(core)), maps.Keys(t.features))
	slices.Sort(all)
	return all
}

// rowOf returns the row of a feature's call.
func rowOf(call feature.HostCall) row {
	phases := inTurn
	if call.Checks {
		phases |= inOperation
	}
	return row{method: call.Method, phase: phases, kinds: call.Kinds, bytes: call.Bytes, limit: call.Limit,
		serial: call.Serial, handler: handler{
			decode: decoder(call.NewParams),
			key: func(params any) workKey {
				return keyOf(call.TurnOf(params), call.OperationOf(params))
			},
			newResult: call.NewResult,
			answer: func(ctx context.Context, w *work, params any) (any, error) {
				if w.turn != nil {
					return call.Answer(ctx, w.turn.forFeature(), params)
				}
				if !w.operation.Command {
					return nil, feature.WorkerOffence{Err: errors.New("the operation runs no command of a check")}
				}
				return call.Answer(ctx, feature.Turn{User: w.user, Commit: w.commit, Kept: &w.operation.kept}, params)
			},
		}}
}

// keyOf returns the work that a message names. The result is zero if the message names both a turn
// and an operation.
func keyOf(turn, operation int64) workKey {
	switch {
	case operation != 0 && turn != 0:
		return workKey{}
	case operation != 0:
		return workKey{inOperation, operation}
	default:
		return workKey{inTurn, turn}
	}
}

// forFeature returns the part of the turn that features may see.
func (t *turn) forFeature() feature.Turn {
	return feature.Turn{User: t.user, ID: t.ID, Destination: t.Destination, Kind: t.Kind,
		Resumed: t.Step > 0 || len(t.Pending) > 0, Committed: t.openCalls.find, Commit: t.commit, Kept: &t.kept}
}

// handler decodes the parameters of a message and handles the message. Calls use the function
// answer, and notifications use the function note. work.reply explains their errors.
type handler struct {
	decode func(*protocol.Request) (params any, err error)
	key    func(params any) workKey
	answer func(ctx context.Context, w *work, params any) (any, error)
	// newResult returns a zero value of the call's result; nil for a notification.
	newResult func() any
	// note handles a notification on the reader's goroutine, so it must not block.
	note func(w *work, params any) error
}

// workCall returns a handler that calls a method of work. P is the type of the parameters, and R
// the type of the result.
func workCall[P, R any](answer func(*work, context.Context, *P) (*R, error)) handler {
	h := handlerOf[P]()
	h.newResult = func() any { return new(R) }
	h.answer = func(ctx context.Context, w *work, params any) (any, error) {
		result, err := answer(w, ctx, params.(*P))
		if result == nil {
			return nil, err
		}
		return *result, err
	}
	return h
}

// turnCall returns a handler that calls a method of turn.
func turnCall[P, R any](answer func(*turn, context.Context, *P) (*R, error)) handler {
	return workCall(func(w *work, ctx context.Context, params *P) (*R, error) { return answer(w.turn, ctx, params) })
}

// workNote returns a handler that passes notifications to a method of work.
func workNote[P any](take func(*work, *P) error) handler {
	h := handlerOf[P]()
	h.note = func(w *work, params any) error { return take(w, params.(*P)) }
	return h
}

// turnNote returns a handler that passes notifications to a method of turn.
func turnNote[P any](take func(*turn, *P) error) handler {
	return workNote(func(w *work, params *P) error { return take(w.turn, params) })
}

// handlerOf returns a handler that decodes parameters of type P. The fields Turn and Operation of
// P, if it has them, name the work of a message.
func handlerOf[P any]() handler {
	turn, operation := idOf[P]("Turn"), idOf[P]("Operation")
	return handler{
		decode: decoder(func() any { return new(P) }),
		key: func(params any) workKey {
			p := params.(*P)
			return keyOf(turn(p), operation(p))
		},
	}
}

// decoder returns a function that decodes parameters into a new value.
func decoder(newParams func() any) func(*protocol.Request) (any, error) {
	return func(req *protocol.Request) (any, error) {
		params := newParams()
		if err := req.DecodeParams(params); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", req.Method, err)
		}
		return params, nil
	}
}

// idOf returns a function that reads an int64 field of P. Without such a field the function returns
// 0.
func idOf[P any](name string) func(*P) int64 {
	field, ok := reflect.TypeFor[P]().FieldByName(name)
	if !ok {
		return func(*P) int64 { return 0 }
	}
	return func(p *P) int64 { return reflect.ValueOf(p).Elem().FieldByIndex(field.Index).Int() }
}
