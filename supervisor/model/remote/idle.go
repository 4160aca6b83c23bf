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

// idleTimeout is an endpoint that said nothing for longer than Limit.
type idleTimeout struct{ Limit time.Duration }

func (e *idleTimeout) Error() string { return "nothing came for " + e.Limit.String() }

// watchedBody is a response's body that ends the call when nothing comes for longer than Limit.
// Time that the reader spends elsewhere does not count.
type watchedBody struct {
	io.ReadCloser
	limit time.Duration
	timer *time.Timer
}

// watchIdle makes one call and ends it with an *idleTimeout when the endpoint is silent for limit.
// call sets the body of the response in its watchedBody; from its first Read on, that one's Limit
// holds. Its errors are raw: they may hold the URL and the key.
func watchIdle(ctx context.Context, limit time.Duration, call func(context.Context, *watchedBody) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &watchedBody{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errIdle) })}
	defer b.timer.Stop()
	err := call(ctx, b)
	if err != nil && context.Cause(ctx) == errIdle {
		return &idleTimeout{b.limit}
	}
	return err
}

func (b *watchedBody) Read(buf []byte) (int, error) {
	b.timer.Reset(b.limit)
	defer b.timer.Stop()
	return b.ReadCloser.Read(buf)
}

// expectEnd shortens the wait: the answer is whole, and the rest may be missing.
func (b *watchedBody) expectEnd() { b.limit = min(tailTimeout, b.limit) }

// drain reads the little that is left, because only a connection that was read to its end is used
// again.
func (b *watchedBody) drain() {
	b.limit = drainTimeout
	// the answer is whole; an error here costs a connection and no more
	_, _ = io.CopyN(io.Discard, b, maxDrain)
}
