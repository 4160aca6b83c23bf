package remote

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"time"

	"mews/protocol"
)

const (
	tailTimeout  = 5 * time.Second // for the stream's end, once the model has said why it stopped
	drainTimeout = 100 * time.Millisecond
	maxDrain     = 4 << 10 // bytes
)

// errSilent is how the watch ends a call.
var errSilent = errors.New("silent for too long")

// Silence is an endpoint that said nothing for longer than Limit.
type Silence struct{ Limit time.Duration }

func (e *Silence) Error() string { return "nothing came for " + e.Limit.String() }

// Body is a response's body that ends the call when nothing comes for longer than Limit. Time that the reader spends
// elsewhere does not count.
type Body struct {
	io.ReadCloser
	Limit time.Duration
	timer *time.Timer
}

// Guard makes one call. The endpoint may be silent for limit until the call reads from its Body, to which it gives the
// body of the response, and for Body's Limit then. Its errors are raw: they may hold the URL and the key.
func Guard(ctx context.Context, limit time.Duration, call func(context.Context, *Body) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := &Body{Limit: limit, timer: time.AfterFunc(limit, func() { cancel(errSilent) })}
	defer b.timer.Stop()
	err := call(ctx, b)
	if err != nil && context.Cause(ctx) == errSilent {
		return &Silence{b.Limit}
	}
	return err
}

// Sent has heard called, as ModelRequest.Heard, as soon as a request under the context has a connection: before that,
// nothing can have been sent. A nil heard is nobody's.
func Sent(ctx context.Context, heard func(int, protocol.Usage)) context.Context {
	if heard == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { heard(0, protocol.Usage{}) },
	})
}

func (b *Body) Read(buf []byte) (int, error) {
	b.timer.Reset(b.Limit)
	defer b.timer.Stop()
	return b.ReadCloser.Read(buf)
}

// Tail shortens the wait: the answer is whole, and what is yet to come may be missing.
func (b *Body) Tail() { b.Limit = min(tailTimeout, b.Limit) }

// Drain reads what little is left, because only a connection that was read to its end is used again.
func (b *Body) Drain() {
	b.Limit = drainTimeout
	_, _ = io.CopyN(io.Discard, b, maxDrain) // the answer is whole; what fails here costs a connection and no more
}
