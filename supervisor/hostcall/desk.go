package hostcall

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// After the third unknown method in a minute the worker is ended: an honest one may be a version ahead, not curious.
const (
	maxStrangers   = 3
	strangerWindow = time.Minute
)

// errTurnOver ends what a turn's host calls are doing when the turn has ended.
var errTurnOver = errors.New("the turn is over")

// Desk answers one worker process. It is a protocol.Handler.
type Desk struct {
	o    *Options
	user string
	peer Peer
	now  func() time.Time

	offended atomic.Bool // the worker has been ended for an offence
	events   bucket      // Notify's

	mu        sync.Mutex // guards what follows
	tools     map[string]protocol.Tool
	offered   offer
	turns     map[int64]*turn
	pasts     pasts
	strangers []time.Time // when unknown methods came, in the last minute
}

// NewDesk makes the desk of one worker process of a person.
func NewDesk(o *Options, user string, peer Peer) *Desk {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return &Desk{o: o, user: user, peer: peer, now: now, turns: map[int64]*turn{}, pasts: pasts{}}
}

// Welcome takes the worker's handshake: only tools named in it may be offered to a model.
func (d *Desk) Welcome(hello protocol.HelloResult) {
	tools := make(map[string]protocol.Tool, len(hello.Tools))
	for _, t := range hello.Tools {
		tools[t.Name] = t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tools = tools
}

// Begin opens a turn: from now on the worker may ask for it.
func (d *Desk) Begin(t Turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	opened := newTurn(t)
	opened.past = d.pasts.take(t.Conversation)
	d.turns[t.ID] = opened
}

// Ended is what a closed turn has come to.
type Ended struct {
	Failure  error                     // why its last model call failed, nil where it did not; with WhyError always something, which the log has
	Instead  *supervisor.ReplacedModel // which model was to make its last step, where another one did
	Answered string                    // provider/model of that other one
}

// End closes a turn, cancels what its calls still do and waits for them. When it has returned, nothing of the turn runs
// in the supervisor and nothing more can be committed for it through this desk. why is what the worker said of the end,
// "" where it said nothing.
func (d *Desk) End(id int64, why protocol.Why) Ended {
	d.mu.Lock()
	t := d.turns[id]
	delete(d.turns, id)
	d.mu.Unlock()
	if t == nil {
		return Ended{}
	}
	t.cancel(errTurnOver)
	t.running.Wait()
	d.keepPast(t)
	if err := t.discardBlobs(); err != nil {
		d.o.Log.Warn("drop unfinished blobs", "user", d.user, "turn", id, "error", err)
	}
	if t.failure == nil && why == protocol.WhyError {
		d.o.Log.Error("a turn ended with an error, and no model call had failed", "user", d.user, "turn", id)
		t.failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textUnexplained}
	}
	return Ended{Failure: t.failure, Instead: t.instead, Answered: t.answered}
}

func (d *Desk) keepPast(t *turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pasts.put(t.Conversation, t.past)
}

// Call answers a call of the worker's.
func (d *Desk) Call(ctx context.Context, req *protocol.Request) (any, error) {
	r, ok := calls[req.Method]
	if !ok {
		return nil, d.stranger(req.Method)
	}
	t, params, err := d.enter(r, req)
	if err != nil {
		return nil, err
	}
	defer d.leave(t, r)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })()
	return r.run(ctx, d, t, params)
}

// Notify takes a notification of the worker's.
func (d *Desk) Notify(req *protocol.Request) {
	r, ok := notes[req.Method]
	if !ok {
		d.stranger(req.Method)
		return
	}
	t, params, err := d.enter(r, req)
	if err != nil {
		return // the worker has been ended for it
	}
	defer d.leave(t, r)
	if err := r.immediate(d, t, params); err != nil {
		d.offence(req.Method, err)
	}
}

// enter holds a message of the worker's against its row. What it returns an error for has ended the worker.
func (d *Desk) enter(r row, req *protocol.Request) (*turn, any, error) {
	id, params, err := r.turn(req)
	if err != nil {
		return nil, nil, d.offence(req.Method, err)
	}
	d.mu.Lock()
	t := d.turns[id]
	refused := t.admit(req.Method, r)
	d.mu.Unlock()
	if refused != nil {
		return nil, nil, d.offence(req.Method, fmt.Errorf("turn %d: %w", id, refused))
	}
	return t, params, nil
}

func (d *Desk) leave(t *turn, r row) {
	d.mu.Lock()
	if r.alone {
		t.alone = false
	}
	d.mu.Unlock()
	t.running.Done()
}

// offence ends the worker, and keeps for what: for the first only, as what it sends until it has ended says nothing more.
func (d *Desk) offence(method string, why error) error {
	err := fmt.Errorf("host call %s: %w", method, why)
	if d.offended.CompareAndSwap(false, true) {
		d.o.Audit(d.user, "worker.offence", err.Error())
		d.peer.End(err)
	}
	return &protocol.Error{Code: protocol.CodeInvalidRequest, Message: err.Error()}
}

// stranger answers a method that the table does not have.
func (d *Desk) stranger(method string) error {
	now := d.now()
	d.mu.Lock()
	recent := d.strangers[:0]
	for _, at := range d.strangers {
		if now.Sub(at) < strangerWindow {
			recent = append(recent, at)
		}
	}
	d.strangers = append(recent, now)
	many := len(d.strangers) >= maxStrangers
	d.mu.Unlock()
	if many {
		return d.offence(printable(method, 64), fmt.Errorf("%d unknown methods within a minute", maxStrangers))
	}
	d.o.Log.Warn("unknown host call", "user", d.user, "method", printable(method, 64))
	return protocol.MethodNotFound(method)
}
