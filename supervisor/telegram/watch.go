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
	patience = 120 * time.Second
	// parting is how long a call that was cancelled may take to return. One that takes longer is left behind.
	parting = 5 * time.Second
)

// watch ends the polls that do not end by themselves.
type watch struct {
	drop    func() // has the next call connect anew
	stalled func() // is told of each
}

// answered is what a call came to.
type answered struct {
	result json.RawMessage
	err    error
}

// over makes a call, and returns when it has ended, when ctx has, or when patience is at its end, even where the call
// heeds no context. Nothing of a call that was left behind is used.
func (w watch) over(ctx context.Context, call func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errStall)
	defer cancel()
	done := make(chan answered, 1)
	go func() {
		result, err := call(ctx)
		done <- answered{result, err}
	}()
	a := w.await(ctx, done)
	if isStall(a.err) {
		w.drop()
		w.stalled()
	}
	return a.result, a.err
}

func (w watch) await(ctx context.Context, done <-chan answered) answered {
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
	}
	timer := time.NewTimer(parting)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	if cause := context.Cause(ctx); !errors.Is(cause, errStall) {
		return answered{err: cause}
	}
	return answered{err: fmt.Errorf("poll: %w within %s", errStall, patience)}
}

// isStall: the watch's end of a call, or the client's own.
func isStall(err error) bool {
	return errors.Is(err, errStall) || errors.Is(err, context.DeadlineExceeded)
}
