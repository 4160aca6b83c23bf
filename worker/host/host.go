// Package host has typed calls of the supervisor over the worker's connection: those of the worker
// itself, of a turn and of an operation.
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

// callTimeout bounds a call that waits for nothing but the supervisor's disk. A model call is
// bounded by its turn's time.
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

// Turn returns the host as the turn id sees it. Events leave only while its Run runs.
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
