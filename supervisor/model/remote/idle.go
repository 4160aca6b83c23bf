package remote

import (
	"context"
	"errors"
	"io"
	"time"
)

const (
	tailTimeout  = 5 * time.Second // wait for the end of the stream after the stop reason
	drainTimeout = 100 * time.Millisecond
	maxDrain     = 4 << 10 // bytes to read at most so that a connection can be reused
)

// errIdle is the cancel cause of a call whose endpoint was silent.
var errIdle = errors.New("silent for too long")

// idleTimeout is the error of a call whose endpoint was silent for longer than Limit.
type idleTimeout struct{ Limit time.Duration }

func (e *idleTimeout) Error() string { return "nothing came for " + e.Limit.String() }

// watchedBody is a response body that ends the call if one Read waits for longer than the limit.
// Time between two reads does not count.
type watchedBody struct {
	io.ReadCloser
	limit time.Duration
	timer *time.Timer
}

// watchIdle makes a call, and ends it with an *idleTimeout if the endpoint is silent for limit. The
// function call stores the response body in its watchedBody. From the first Read on, the
// watchedBody's own limit counts. Errors are raw: they may contain the URL and the key.
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

// expectEnd shortens the limit, because the answer is complete and the end may never come.
func (b *watchedBody) expectEnd() { b.limit = min(tailTimeout, b.limit) }

// drain reads the last bytes of the body, because only a fully read connection is reused.
func (b *watchedBody) drain() {
	b.limit = drainTimeout
	// the answer is complete; an error only costs the connection
	_, _ = io.CopyN(io.Discard, b, maxDrain)
}
