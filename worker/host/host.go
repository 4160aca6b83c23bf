// Package host has typed calls of the supervisor over the worker's connection: those of the worker itself, of a turn and of
// an operation.
package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"mews/protocol"
)

// Conn is the connection to the supervisor.
type Conn interface {
	Call(ctx context.Context, method string, params, result any) error
	Notify(ctx context.Context, method string, params any) error
}

// callTimeout bounds a call that waits for nothing but the supervisor's disk. A model call is bounded by its turn's time.
const callTimeout = 30 * time.Second

var errNoAnswer = errors.New("no answer within " + callTimeout.String())

// Host is the supervisor as one connection sees it. Its methods may be called from any goroutine.
type Host struct {
	conn Conn
	sent sentCache

	mu      sync.Mutex
	streams map[int64]*modelStream // the model calls that are open, by turn
}

// New returns the host at the other end of conn.
func New(conn Conn) *Host {
	return &Host{conn: conn, streams: map[int64]*modelStream{}}
}

// Turn returns the host as the turn id sees it. Events leave only while its Run runs.
func (h *Host) Turn(id int64) *Turn {
	t := &Turn{blobStore: blobStore{host: h, turn: id}, ready: make(chan struct{}, 1), sending: make(chan struct{}, 1)}
	t.sending <- struct{}{}
	return t
}

// Delta gives a model.delta notification to its model call. A delta without an open call is ignored, because the call may
// have ended. Delta does not block if the call's delta function does not.
func (h *Host) Delta(delta protocol.ModelDelta) {
	h.mu.Lock()
	s := h.streams[delta.Turn]
	h.mu.Unlock()
	if s != nil {
		s.deliver(delta)
	}
}

// registerStream has a turn's deltas go to s until the returned function is called.
func (h *Host) registerStream(turn int64, s *modelStream) func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams[turn] = s
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.streams[turn] == s {
			delete(h.streams, turn)
		}
	}
}

// call makes a call within callTimeout.
func (h *Host) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, errNoAnswer)
	defer cancel()
	return h.conn.Call(ctx, method, params, result)
}

// modelStream gets the text of one model call as it comes.
type modelStream struct {
	delta func(string) // may be nil
	last  int          // the newest delta's Seq; only the connection's reader uses it
}

// deliver passes on a delta that is newer than the last one.
func (s *modelStream) deliver(delta protocol.ModelDelta) {
	if delta.Seq <= s.last {
		return
	}
	s.last = delta.Seq
	if s.delta != nil {
		s.delta(delta.Text)
	}
}
