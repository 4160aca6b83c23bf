package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	tailTimeout  = 5 * time.Second // maximum wait for the end of the stream after the stop reason
	drainTimeout = 100 * time.Millisecond
	maxDrain     = 4 << 10 // maximum number of bytes to read so that the connection can be reused
)

// errIdle is the cause with which a silent call is cancelled.
var errIdle = errors.New("silent for too long")

// idleTimeout is the error of a call that ended because the endpoint was silent for Limit.
type idleTimeout struct{ Limit time.Duration }

func (e *idleTimeout) Error() string { return "nothing came for " + e.Limit.String() }

// watchedBody is a response body with a time limit for each Read. If a Read takes longer, the call
// ends. The time between two reads does not count.
type watchedBody struct {
	io.ReadCloser
	limit time.Duration
	timer *time.Timer
}

// watchIdle makes a call, and ends it with an *idleTimeout if the endpoint is silent for limit. The
// function call stores the response body in the watchedBody that it gets. From the first Read on,
// the watchedBody's own limit counts. Errors are raw: they may contain the URL and the key.
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

// isUnlabelledJSON reports whether a body without a known content type is JSON. It reads the body's
// first byte, and puts the byte back.
func (b *watchedBody) isUnlabelledJSON(resp *http.Response) bool {
	if !hasType(resp, ContentTypeStream) || strings.HasPrefix(resp.Header.Get("Content-Type"), ContentTypeStream) {
		return false
	}
	first := make([]byte, 1)
	n, _ := io.ReadFull(b, first) // the next Read repeats an error of this one
	b.ReadCloser = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first[:n]), b.ReadCloser), b.ReadCloser}
	return n > 0 && first[0] == '{'
}

// expectEnd shortens the limit, because the answer is complete and the end of the stream may never
// come.
func (b *watchedBody) expectEnd() { b.limit = min(tailTimeout, b.limit) }

// drain reads the last bytes of the body, because only a connection without unread bytes is reused.
func (b *watchedBody) drain() {
	b.limit = drainTimeout
	// the answer is complete, so an error only costs the connection
	_, _ = io.CopyN(io.Discard, b, maxDrain)
}
