package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// pollDeadline is how long a poll may take in all: well beyond what it asks the server to take.
	// Polls have been seen to hang for hours while all else worked, so nothing but the poll's own
	// end counts.
	pollDeadline = 120 * time.Second
	// cancelGrace is how long a call that was cancelled may take to return. One that takes longer
	// is left behind.
	cancelGrace = 5 * time.Second
)

// fetch makes a poll. It returns when the poll has ended, when ctx has, or at the poll's deadline,
// even where the call does not end with its context. Nothing of a call that was left behind is
// used.
func (p *Poller) fetch(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pollDeadline, errStall)
	defer cancel()
	type answer struct {
		result json.RawMessage
		err    error
	}
	done, call := make(chan answer, 1), p.call()
	go func() {
		result, err := p.client.do(ctx, call)
		done <- answer{result, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(cancelGrace):
		}
		if a.err = context.Cause(ctx); errors.Is(a.err, errStall) {
			a.err = fmt.Errorf("poll: %w within %s", errStall, pollDeadline)
		}
	}
	if isStall(a.err) {
		p.client.dropPolls() // the next poll connects anew
		p.log.Warn("a poll of Telegram did not end by itself", "offset", p.offset)
		p.health.stalled()
	}
	return a.result, a.err
}

// call is the call that brings a batch. After a failure the server is not to wait for something to
// come, so that it is known at once whether it works again.
func (p *Poller) call() apiCall {
	wait := p.timeout
	if !p.lastWorked {
		wait = 0
	}
	return apiCall{method: pollMethod, timeout: p.timeout + p.margin, params: map[string]any{
		"offset":          p.offset,
		"limit":           pollLimit,
		"timeout":         int64(wait / time.Second),
		"allowed_updates": updateKinds,
	}}
}

// isStall says that a poll ended by its deadline, or a call by the client's own.
func isStall(err error) bool {
	return errors.Is(err, errStall) || errors.Is(err, context.DeadlineExceeded)
}
