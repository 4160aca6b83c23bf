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
	maxUnknown    = 3
	unknownWindow = time.Minute
)

// errTurnOver ends what a turn's host calls are doing when the turn has ended.
var errTurnOver = errors.New("the turn is over")

// Conn answers one worker process. It is a protocol.Handler.
type Conn struct {
	o    *Options
	user string
	peer Peer
	now  func() time.Time

	offended atomic.Bool // the worker has been ended for an offence
	events   tokenBucket // Notify's

	mu          sync.Mutex // guards what follows
	tools       map[string]protocol.Tool
	prefix      requestPrefix
	turns       map[int64]*turn
	transcripts transcriptCaches
	unknown     []time.Time // when unknown methods came, in the last minute
}

// NewConn makes the connection of one worker process of a person.
func NewConn(o *Options, user string, peer Peer) *Conn {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return &Conn{o: o, user: user, peer: peer, now: now, turns: map[int64]*turn{}, transcripts: transcriptCaches{}}
}

// Handshaken takes the worker's handshake: only tools named in it may be offered to a model.
func (d *Conn) Handshaken(hello protocol.HelloResult) {
	tools := make(map[string]protocol.Tool, len(hello.Tools))
	for _, t := range hello.Tools {
		tools[t.Name] = t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tools = tools
}

// BeginTurn opens a turn: from now on the worker may ask for it.
func (d *Conn) BeginTurn(t Turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	opened := newTurn(t)
	opened.transcript = d.transcripts.take(t.Conversation)
	d.turns[t.ID] = opened
}

// TurnFailure is what a closed turn has come to.
type TurnFailure struct {
	Failure  error                     // why its last model call failed, nil where it did not; with WhyError always something, which the log has
	Instead  *supervisor.ReplacedModel // which model was to make its last step, where another one did
	Answered string                    // provider/model of that other one
}

// EndTurn closes a turn, cancels what its calls still do and waits for them. When it has returned, nothing of the turn runs
// in the supervisor and nothing more can be committed for it through this connection. why is what the worker said of the end,
// "" where it said nothing.
func (d *Conn) EndTurn(id int64, why protocol.Why) TurnFailure {
	d.mu.Lock()
	t := d.turns[id]
	delete(d.turns, id)
	d.mu.Unlock()
	if t == nil {
		return TurnFailure{}
	}
	t.cancel(errTurnOver)
	t.running.Wait()
	d.keepTranscript(t)
	if err := t.discardBlobs(); err != nil {
		d.o.Log.Warn("drop unfinished blobs", "user", d.user, "turn", id, "error", err)
	}
	if t.failure == nil && why == protocol.WhyError {
		d.o.Log.Error("a turn ended with an error, and no model call had failed", "user", d.user, "turn", id)
		t.failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textUnexplained}
	}
	return TurnFailure{Failure: t.failure, Instead: t.instead, Answered: t.answered}
}

func (d *Conn) keepTranscript(t *turn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.transcripts.put(t.Conversation, t.transcript)
}

// Call answers a call of the worker's.
func (d *Conn) Call(ctx context.Context, req *protocol.Request) (any, error) {
	r, ok := calls[req.Method]
	if !ok {
		return nil, d.unknownMethod(req.Method)
	}
	t, params, err := d.admit(r, req)
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
func (d *Conn) Notify(req *protocol.Request) {
	r, ok := notes[req.Method]
	if !ok {
		d.unknownMethod(req.Method)
		return
	}
	t, params, err := d.admit(r, req)
	if err != nil {
		return // the worker has been ended for it
	}
	defer d.leave(t, r)
	if err := r.immediate(d, t, params); err != nil {
		d.offence(req.Method, err)
	}
}

// admit holds a message of the worker's against its row. What it returns an error for has ended the worker.
func (d *Conn) admit(r row, req *protocol.Request) (*turn, any, error) {
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

func (d *Conn) leave(t *turn, r row) {
	d.mu.Lock()
	if r.serial {
		t.serialRunning = false
	}
	d.mu.Unlock()
	t.running.Done()
}

// offence ends the worker, and keeps for what: for the first only, as what it sends until it has ended says nothing more.
func (d *Conn) offence(method string, why error) error {
	err := fmt.Errorf("host call %s: %w", method, why)
	if d.offended.CompareAndSwap(false, true) {
		d.o.Audit(d.user, "worker.offence", err.Error())
		d.peer.End(err)
	}
	return &protocol.Error{Code: protocol.CodeInvalidRequest, Message: err.Error()}
}

// unknownMethod answers a method that the table does not have.
func (d *Conn) unknownMethod(method string) error {
	now := d.now()
	d.mu.Lock()
	recent := d.unknown[:0]
	for _, at := range d.unknown {
		if now.Sub(at) < unknownWindow {
			recent = append(recent, at)
		}
	}
	d.unknown = append(recent, now)
	many := len(d.unknown) >= maxUnknown
	d.mu.Unlock()
	if many {
		return d.offence(printable(method, 64), fmt.Errorf("%d unknown methods within a minute", maxUnknown))
	}
	d.o.Log.Warn("unknown host call", "user", d.user, "method", printable(method, 64))
	return protocol.MethodNotFound(method)
}
