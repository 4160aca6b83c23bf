// Package host has the supervisor do what a turn asks of it: typed calls over the worker's connection.
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

// callTimeout bounds the supervisor's answer to a call that waits for its disk at most. A model call is bounded by its
// turn's time instead.
const callTimeout = 30 * time.Second

var errNoAnswer = errors.New("no answer within " + callTimeout.String())

// Host is the supervisor as one connection sees it. It is safe for use from any goroutine.
type Host struct {
	conn Conn
	sent sentCache

	mu      sync.Mutex
	streams map[int64]*modelStream // the model calls under way, by turn
}

// New returns the host at the other end of conn.
func New(conn Conn) *Host {
	return &Host{conn: conn, streams: map[int64]*modelStream{}}
}

// Turn returns the host as the turn id sees it. Its Run must be running for its events to leave.
func (h *Host) Turn(id int64) *Turn {
	t := &Turn{blobs: blobs{host: h, turn: id}, events: newEventQueue(), sending: make(chan struct{}, 1)}
	t.sending <- struct{}{}
	return t
}

// Delta takes a model.delta notification to the model call that it is for. One that is for none is ignored: its call may
// have ended. It does not block if the call's delta function does not.
func (h *Host) Delta(delta protocol.ModelDelta) {
	h.mu.Lock()
	s := h.streams[delta.Turn]
	h.mu.Unlock()
	if s != nil {
		s.take(delta)
	}
}

// registerStream makes a model call of a turn the one that its deltas go to. The returned function ends that.
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

// call makes a call that the supervisor answers soon.
func (h *Host) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, errNoAnswer)
	defer cancel()
	return h.conn.Call(ctx, method, params, result)
}

// modelStream is one model call's text as it comes.
type modelStream struct {
	delta func(string) // nil for nobody
	last  int          // the newest delta's Seq; the connection's reader alone uses it
}

// take passes on a delta that is newer than the last one.
func (s *modelStream) take(delta protocol.ModelDelta) {
	if delta.Seq <= s.last {
		return
	}
	s.last = delta.Seq
	if s.delta != nil {
		s.delta(delta.Text)
	}
}
