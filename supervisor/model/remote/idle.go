package remote

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	tailTimeout  = 5 * time.Second // wait for the stream's end, after the stop reason has come
	drainTimeout = 100 * time.Millisecond
	maxDrain     = 4 << 10 // most bytes read to reuse a connection
)

// errIdle is the cause that ends a silent call.
var errIdle = errors.New("silent for too long")

// idleTimeout is the error of an endpoint that was silent for longer than Limit.
type idleTimeout struct{ Limit time.Duration }

func (e *idleTimeout) Error() string { return "nothing came for " + e.Limit.String() }

// watchedBody is a response's body that ends the call if nothing comes for longer than its limit.
// Time between reads does not count.
type watchedBody struct {
	io.ReadCloser
	limit time.Duration
	timer *time.Timer
}

// watchIdle makes one call, and ends it with an *idleTimeout if the endpoint is silent for limit.
// The function call puts the body of the response into its watchedBody, whose own limit holds from
// its first Read on. Errors of watchIdle are raw: they may contain the URL and the key.
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

// expectEnd shortens the wait, because the answer is complete and the rest may be missing.
func (b *watchedBody) expectEnd() { b.limit = min(tailTimeout, b.limit) }

// drain reads the small rest of the body, because only a fully read connection is reused.
func (b *watchedBody) drain() {
	b.limit = drainTimeout
	// the answer is complete; an error here only costs a connection
	_, _ = io.CopyN(io.Discard, b, maxDrain)
}
