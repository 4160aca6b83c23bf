// Package host makes calls of the supervisor for the worker, its turns and its operations.
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

// callTimeout bounds a call that needs only the disk of the supervisor. The time of the turn bounds
// a call of the model.
const callTimeout = 30 * time.Second

var errNoAnswer = errors.New("no answer within " + callTimeout.String())

// Host is the supervisor as one connection sees it. Its methods may be called from any goroutine.
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
