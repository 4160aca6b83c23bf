// Package host makes calls to the supervisor for the worker, its turns and its operations.
package host

import (
	"context"
	"errors"
	"time"
)

// Conn is the connection to the supervisor.
type Conn interface {
	Call(ctx context.Context, method string, params, result any) error
	Notify(ctx context.Context, method string, params any) error
}

// callTimeout bounds a call that needs only the supervisor's disk. A call to a model is bounded by
// the turn's time.
const callTimeout = 30 * time.Second

var errNoAnswer = errors.New("no answer within " + callTimeout.String())

// Host makes calls over one connection. Its methods may be called from any goroutine.
type Host struct {
	conn Conn
	sent sentCache
}

// New returns the host at the other end of conn.
func New(conn Conn) *Host {
	return &Host{conn: conn}
}

// Turn returns the host for one turn. Events are sent only while Run runs.
func (h *Host) Turn(id int64) *Turn {
	t := &Turn{blobStore: blobStore{host: h, turn: id}, ready: make(chan struct{}, 1), sending: make(chan struct{}, 1)}
	t.sending <- struct{}{}
	return t
}

// call makes a call within callTimeout.
func (h *Host) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, callTimeout, errNoAnswer)
	defer cancel()
	return h.conn.Call(ctx, method, params, result)
}
