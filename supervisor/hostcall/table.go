package hostcall

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

// phase is when a message of the worker's is valid. Phases may be added up.
type phase uint8

const (
	inTurn      phase = 1 << iota // while the turn runs whose id it carries
	inOperation                   // while the operation runs whose id it carries
	anyTime                       // from hello on; it carries no id
)

func (p phase) String() string {
	return map[phase]string{inTurn: "turn", inOperation: "operation", anyTime: "worker"}[p]
}

// row is what the table says of one method. A method with note is a notification.
type row struct {
	method string
	phase  phase
	// of the turns in which it is valid, and for whose worker at any other time; nil: none is asked
	// about
	kinds []supervisor.TurnKind
	// of its parameters as JSON, at most; 0: as many as a line of the wire holds
	bytes  int
	limit  int  // how often in one turn or operation, or in the life of the worker
	serial bool // not while another serial call of the same turn or operation runs
	handler
}

// The kinds of turns, by what their worker may ask for.
var (
	withHome = feature.WithHome()
	// one of its own, which only reads
	oneShot = []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage}
	anyKind = slices.Concat(withHome, oneShot)
)

// What parameters may take, in bytes.
const (
	shortParams = feature.ShortParams
	chunkParams = protocol.BlobChunk*4/3 + shortParams // base64
)

// core has the methods that are no feature's, by name.
var core = byMethod(slices.Concat(toolRows, findRows, modelRows, stepRows, eventRows, blobRows, chatRows, activityRows,
	questionRows, operationRows, indexRows))

func byMethod(rows []row) map[string]row {
	all := map[string]row{}
	for _, r := range rows {
		all[r.method] = r
	}
	return all
}

// Table has every method that a worker may send. The zero value has those of the core.
type Table struct{ features map[string]row }

// NewTable makes a table of the core's methods and the features'. It refuses a call that could
// never be made, has no limit, or has a method of another.
func NewTable(features ...feature.HostCall) (Table, error) {
	t := Table{features: map[string]row{}}
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

// find is a method's row; known is false of a method that there is not.
func (t Table) find(method string) (r row, known bool) {
	if r, known = core[method]; !known {
		r, known = t.features[method]
	}
	return r, known
}

// Methods are all that a worker may send, sorted.
func (t Table) Methods() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(core)), maps.Keys(t.features))
	slices.Sort(all)
	return all
}

// rowOf is a feature's call as a row.
func rowOf(call feature.HostCall) row {
	return row{method: call.Method, phase: inTurn, kinds: call.Kinds, bytes: call.Bytes, limit: call.Limit,
		serial: call.Serial, handler: handler{
			decode:    decoder(call.NewParams),
			key:       func(params any) workKey { return workKey{inTurn, call.TurnOf(params)} },
			newResult: call.NewResult,
			answer: func(ctx context.Context, w *work, params any) (any, error) {
				return call.Answer(ctx, w.turn.forFeature(), params)
			},
		}}
}

// forFeature is what a feature may know of a turn.
func (t *turn) forFeature() feature.Turn {
	return feature.Turn{User: t.user, ID: t.ID, Destination: t.Destination, Kind: t.Kind,
		Resumed: t.Step > 0 || len(t.Pending) > 0, Committed: t.openCalls.find, Commit: t.commit, Kept: &t.kept}
}

// handler reads a message's parameters, and answers it or takes it. What its errors do is said at
// reply.
type handler struct {
	decode func(*protocol.Request) (params any, err error)
	key    func(params any) workKey
	answer func(ctx context.Context, w *work, params any) (any, error)
	// newResult is a zero value of what a call is answered; nil for a notification.
	newResult func() any
	// note takes a notification on the reader's goroutine, so it must not block.
	note func(w *work, params any) error
}

// workCall answers a call with a method of the work that it is made for. P is what the call takes,
// and R what it is answered.
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

// turnCall answers a call with a method of its turn.
func turnCall[P, R any](answer func(*turn, context.Context, *P) (*R, error)) handler {
	return workCall(func(w *work, ctx context.Context, params *P) (*R, error) { return answer(w.turn, ctx, params) })
}

// workNote takes a notification with a method of the work that it is about.
func workNote[P any](take func(*work, *P) error) handler {
	h := handlerOf[P]()
	h.note = func(w *work, params any) error { return take(w, params.(*P)) }
	return h
}

// turnNote takes a notification with a method of its turn.
func turnNote[P any](take func(*turn, *P) error) handler {
	return workNote(func(w *work, params *P) error { return take(w.turn, params) })
}

// handlerOf reads parameters of type P. Its fields Turn and Operation, where it has them, say which
// work it is about.
func handlerOf[P any]() handler {
	turn, operation := idOf[P]("Turn"), idOf[P]("Operation")
	return handler{
		decode: decoder(func() any { return new(P) }),
		key: func(params any) workKey {
			switch p := params.(*P); {
			case operation(p) != 0 && turn(p) != 0:
				return workKey{} // which there is not
			case operation(p) != 0:
				return workKey{inOperation, operation(p)}
			default:
				return workKey{inTurn, turn(p)}
			}
		},
	}
}

// decoder reads parameters into new ones.
func decoder(newParams func() any) func(*protocol.Request) (any, error) {
	return func(req *protocol.Request) (any, error) {
		params := newParams()
		if err := req.Decode(params); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", req.Method, err)
		}
		return params, nil
	}
}

// idOf reads an int64 field; 0 where there is none.
func idOf[P any](name string) func(*P) int64 {
	field, ok := reflect.TypeFor[P]().FieldByName(name)
	if !ok {
		return func(*P) int64 { return 0 }
	}
	return func(p *P) int64 { return reflect.ValueOf(p).Elem().FieldByIndex(field.Index).Int() }
}
