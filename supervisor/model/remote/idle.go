package remote

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	tailTimeout  = 5 * time.Second // for the stream's end, after the model has said why it ended
	drainTimeout = 100 * time.Millisecond
	maxDrain     = 4 << 10 // bytes
)

// errIdle is the cause with which a call is ended.
var errIdle = errors.New("silent for too long")

// IdleTimeout is an endpoint that said nothing for longer than Limit.
type IdleTimeout struct{ Limit time.Duration }

func (e *IdleTimeout) Error() string { return "nothing came for " + e.Limit.String() }

// WatchedBody is a response's body that ends the call when nothing comes for longer than Limit. Time that the reader spends
// elsewhere does not count.
type WatchedBody struct {
	io.ReadCloser
	Limit time.Duration
	timer *time.Timer
}

// WatchIdle makes one call and ends it with an *IdleTimeout when the endpoint is silent for limit. call sets the body of the
// response in its WatchedBody; from its first Read on, that one's Limit holds. Its errors are raw: they may hold the URL and
// the key.
func WatchIdle(ctx context.Context, limit time.Duration, call func(context.Context, *WatchedBody) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &WatchedBody{Limit: limit, timer: time.AfterFunc(limit, func() { cancel(errIdle) })}
	defer b.timer.Stop()
	err := call(ctx, b)
	if err != nil && context.Cause(ctx) == errIdle {
		return &IdleTimeout{b.Limit}
	}
	return err
}

func (b *WatchedBody) Read(buf []byte) (int, error) {
	b.timer.Reset(b.Limit)
	defer b.timer.Stop()
	return b.ReadCloser.Read(buf)
}

// ExpectEnd shortens the wait: the answer is whole, and the rest may be missing.
func (b *WatchedBody) ExpectEnd() { b.Limit = min(tailTimeout, b.Limit) }

// Drain reads the little that is left, because only a connection that was read to its end is used again.
func (b *WatchedBody) Drain() {
	b.Limit = drainTimeout
	_, _ = io.CopyN(io.Discard, b, maxDrain) // the answer is whole; an error here costs a connection and no more
}
