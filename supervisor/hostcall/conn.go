package hostcall

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/operation"
)

// The third unknown method within a minute ends the worker. An honest worker may be one version
// ahead, but it does not try several methods.
const (
	maxUnknown    = 3
	unknownWindow = time.Minute
)

// Conn answers the calls of one worker process, as a protocol.Handler.
type Conn struct {
	o         *Options
	user      string
	endWorker func(reason error) // ends the worker process, without waiting for its end
	now       func() time.Time

	offended atomic.Bool // whether the worker was ended for an offence
	events   *rate.Limiter

	mu          sync.Mutex // guards the fields below
	tools       toolList
	prefix      requestPrefix
	begun       map[workKey]*work
	transcripts transcriptCaches
	unknown     []time.Time // times at which unknown methods were called within the last minute
}

// NewConn returns the connection of a user's worker process. endWorker must end that process
// without waiting.
func NewConn(o *Options, user string, endWorker func(reason error)) *Conn {
	c := &Conn{o: o, user: user, endWorker: endWorker, now: o.Now, events: rate.NewLimiter(eventRate, eventBurst), begun: map[workKey]*work{},
		transcripts: transcriptCaches{}}
	c.begin(newWork(c, workKey{phase: anyTime}))
	return c
}

func (c *Conn) begin(w *work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[w.workKey] = w
}

// BeginTurn opens a turn. From then on the worker may make calls for the turn.
func (c *Conn) BeginTurn(t Turn) {
	opened := &turn{work: newWork(c, workKey{inTurn, t.ID}), Turn: t}
	opened.work.turn, opened.work.blobs = opened, &turnBlobs{c, t.ID}
	opened.before = &beforeBlobs{turnBlobs{c, t.ID}}
	var pending []protocol.ToolCall
	for _, p := range t.Pending {
		pending = append(pending, p.Call)
	}
	opened.openCalls.put(pending)
	c.mu.Lock()
	opened.transcript = c.transcripts.take(t.Conversation)
	c.mu.Unlock()
	c.begin(opened.work)
}

// EndTurn closes a turn, cancels its calls and waits for them. When EndTurn has returned, the
// supervisor runs no part of the turn, and this connection commits nothing for the turn. why is the
// worker's reason, or "".
func (c *Conn) EndTurn(id int64, why protocol.TurnEndReason) TurnOutcome {
	w := c.end(workKey{inTurn, id})
	if w == nil {
		return TurnOutcome{}
	}
	t := w.turn
	if t.outcome.Failure == nil { // after a failure, the cached transcript may contain uncommitted messages
		c.mu.Lock()
		c.transcripts.put(t.Conversation, t.transcript)
		c.mu.Unlock()
	}
	if t.outcome.Failure == nil && why == protocol.TurnEndError {
		t.log().Error("a turn ended with an error, and no model call had failed")
		t.outcome.Failure = &supervisor.Error{Code: supervisor.CodeInternal, Message: textUnexplained}
	}
	return t.outcome
}

// BeginOperation opens an operation. From then on the worker may make calls for the operation.
func (c *Conn) BeginOperation(a operation.Attempt) {
	w := newWork(c, workKey{inOperation, a.ID})
	w.operation = &operationWork{Attempt: a, next: len(a.Pieces)}
	for _, p := range a.Pieces {
		w.operation.text += len(p.Text)
	}
	w.blobs = &operationBlobs{w.operation, a.Spool}
	if a.Spool == nil {
		persons := turnBlobs{c, 0}
		w.blobs, w.before = &personsBlobs{w.operation, &persons}, &personsBlobs{w.operation, &beforeBlobs{persons}}
	}
	if !a.Index { // operations that index have their own limits
		w.moreCalls = int(2 * a.MaxBytes / protocol.MaxBlobChunkBytes)
	}
	c.begin(w)
}

// EndOperation closes an operation, cancels its calls and waits for them. It returns the committed
// blobs. When EndOperation has returned, the supervisor runs no part of the operation.
func (c *Conn) EndOperation(id int64) []protocol.BlobRef {
	w := c.end(workKey{inOperation, id})
	if w == nil {
		return nil
	}
	return w.operation.committed
}

// end ends and removes a turn or an operation. It returns nil if the turn or operation does not
// exist.
func (c *Conn) end(key workKey) *work {
	c.mu.Lock()
	w := c.begun[key]
	delete(c.begun, key)
	c.mu.Unlock()
	if w != nil {
		w.end()
	}
	return w
}

// HandleCall answers a call of the worker.
func (c *Conn) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	r, w, params, err := c.admitCall(req, false)
	if err != nil {
		return nil, err
	}
	defer c.endCall(w, r)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })()
	answer, err := r.answer(ctx, w, params)
	if w.turn != nil && err == nil {
		w.turn.foreignCalls.note(req.Method, params, answer)
	}
	return answer, w.reply(req.Method, err)
}

// HandleNotification handles a notification of the worker.
func (c *Conn) HandleNotification(req *protocol.Request) {
	r, w, params, err := c.admitCall(req, true)
	if err != nil {
		return // the worker was already ended for an offence, or the method is unknown
	}
	defer c.endCall(w, r)
	_ = w.reply(req.Method, r.note(w, params)) // ignore the answer, because a notification gets none
}

// admitCall checks a message of the worker against the row of its method. An error is the answer to
// the worker.
func (c *Conn) admitCall(req *protocol.Request, notification bool) (r row, w *work, params any, err error) {
	r, known := c.o.Table.find(req.Method)
	if !known || notification != (r.note != nil) {
		return r, nil, nil, c.unknownMethod(req.Method)
	}
	if r.bytes > 0 && len(req.Params) > r.bytes {
		return r, nil, nil, c.offence(req.Method, fmt.Errorf("parameters of %d bytes, at most %d", len(req.Params), r.bytes))
	}
	if params, err = r.decode(req); err != nil {
		return r, nil, nil, c.offence(req.Method, err)
	}
	key := workKey{phase: anyTime}
	if r.phase != anyTime {
		key = r.key(params)
	}
	c.mu.Lock()
	w = c.begun[key]
	switch {
	case w == nil:
		err = fmt.Errorf("not %s of this worker's", key.phase.withArticle())
	case r.phase&key.phase == 0:
		err = fmt.Errorf("not a call of %s", key.phase.withArticle())
	case r.kinds != nil && c.otherKind(w, r.kinds) != "":
		err = fmt.Errorf("not in a turn of kind %q", c.otherKind(w, r.kinds))
	default:
		err = w.count(r)
	}
	c.mu.Unlock()
	if err != nil {
		return r, nil, nil, c.offence(req.Method, fmt.Errorf("%v %d: %w", key.phase, key.id, err))
	}
	return r, w, params, nil
}

// otherKind returns the kind of a turn that forbids a call, or "". A call that names no turn must
// be allowed in each running turn. The caller holds c.mu.
func (c *Conn) otherKind(w *work, kinds []supervisor.TurnKind) supervisor.TurnKind {
	for _, other := range c.begun {
		if (other == w || w.phase == anyTime) && other.turn != nil && !slices.Contains(kinds, other.turn.Kind) {
			return other.turn.Kind
		}
	}
	return ""
}

func (c *Conn) endCall(w *work, r row) {
	c.mu.Lock()
	if r.serial {
		w.serialRunning = false
	}
	c.mu.Unlock()
	w.running.Done()
}

// offence ends the worker and returns the error for it. It audits only the first offence, because
// the worker is already being ended.
func (c *Conn) offence(method string, why error) error {
	err := fmt.Errorf("host call %s: %w", method, why)
	if c.offended.CompareAndSwap(false, true) {
		c.o.Audit(c.user, "worker.offence", err.Error())
		c.endWorker(err)
	}
	return &protocol.Error{Code: protocol.CodeInvalidRequest, Message: err.Error()}
}

// unknownMethod answers a call of a method that is not in the table.
func (c *Conn) unknownMethod(method string) error {
	now := c.now()
	c.mu.Lock()
	c.unknown = append(slices.DeleteFunc(c.unknown, func(at time.Time) bool { return now.Sub(at) >= unknownWindow }), now)
	many := len(c.unknown) >= maxUnknown
	c.mu.Unlock()
	if many {
		return c.offence(printable(method, maxName), fmt.Errorf("%d unknown methods within a minute", maxUnknown))
	}
	c.o.Log.Warn("unknown host call", "user", c.user, "method", printable(method, maxName))
	return protocol.MethodNotFoundError(method)
}
