package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// patience is how long a poll may take in all: well beyond what it asks the server to take. Polls have been seen to
	// hang for hours while all else worked, so nothing but the poll's own end counts.
	pollDeadline = 120 * time.Second
	// parting is how long a call that was cancelled may take to return. One that takes longer is left behind.
	cancelGrace = 5 * time.Second
)

// stallDetector ends the polls that do not end by themselves.
type stallDetector struct {
	reconnect func() // has the next call connect anew
	stalled   func() // is told of each
}

// callResult is what a call came to.
type callResult struct {
	result json.RawMessage
	err    error
}

// run makes a call, and returns when it has ended, when ctx has, or when patience is at its end, even where the call
// heeds no context. Nothing of a call that was left behind is used.
func (w stallDetector) run(ctx context.Context, call func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pollDeadline, errStall)
	defer cancel()
	done := make(chan callResult, 1)
	go func() {
		result, err := call(ctx)
		done <- callResult{result, err}
	}()
	a := w.await(ctx, done)
	if isStall(a.err) {
		w.reconnect()
		w.stalled()
	}
	return a.result, a.err
}

func (w stallDetector) await(ctx context.Context, done <-chan callResult) callResult {
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
	}
	timer := time.NewTimer(cancelGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errStall) {
		return callResult{err: cause}
	}
	return callResult{err: fmt.Errorf("poll: %w within %s", errStall, pollDeadline)}
}

// isStall: the watch's end of a call, or the client's own.
func isStall(err error) bool {
	return errors.Is(err, errStall) || errors.Is(err, context.DeadlineExceeded)
}
