package hostcall

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mews/protocol"
	"mews/supervisor"
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
	// the person's worker
	withHome = []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob, supervisor.TurnMCP}
	// one of its own, which only reads
	oneShot = []supervisor.TurnKind{supervisor.TurnReview, supervisor.TurnTriage}
	anyKind = slices.Concat(withHome, oneShot)
)

// What parameters may take, in bytes.
const (
	shortParams = 16 << 10
	chunkParams = protocol.BlobChunk*4/3 + shortParams // base64
)

// table has every method that a worker may send, by name.
var table = func() map[string]row {
	all := map[string]row{}
	for _, r := range slices.Concat(toolRows, findRows, modelRows, stepRows, eventRows, blobRows, chatRows, activityRows, searchRows, jobRows, questionRows, memoryRows, operationRows, indexRows, reviewRows, promptFileRows) {
		all[r.method] = r
	}
	return all
}()

// Methods are all that a worker may send, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(table)) }

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
		decode: func(req *protocol.Request) (any, error) {
			params := new(P)
			if err := req.Decode(params); err != nil {
				return nil, fmt.Errorf("parameters of %s: %w", req.Method, err)
			}
			return params, nil
		},
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

// idOf reads an int64 field; 0 where there is none.
func idOf[P any](name string) func(*P) int64 {
	field, ok := reflect.TypeFor[P]().FieldByName(name)
	if !ok {
		return func(*P) int64 { return 0 }
	}
	return func(p *P) int64 { return reflect.ValueOf(p).Elem().FieldByIndex(field.Index).Int() }
}
