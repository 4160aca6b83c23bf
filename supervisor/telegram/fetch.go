package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// pollDeadline limits a whole poll. It is far longer than the wait requested from the server.
	// Some polls have hung for hours while all other calls worked. So a successful call does not
	// prove that polls work.
	pollDeadline = 120 * time.Second
	// cancelGrace is how long a cancelled call may take to return. A slower call is abandoned.
	cancelGrace = 5 * time.Second
)

// fetch makes a poll. It returns at the end of the poll or of ctx, or at the poll's deadline. This
// holds even if the call does not end with its context. The result of an abandoned call is never
// used.
func (p *Poller) fetch(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pollDeadline, errStall)
	defer cancel()
	p.health.waits(pollDeadline + cancelGrace)
	defer p.health.works()
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
		p.client.dropPolls() // the next poll opens a new connection
		p.log.Warn("a poll of Telegram did not end by itself", "offset", p.offset)
		p.health.stalled()
	}
	return a.result, a.err
}

// call returns the call for the next batch. After a failure, the server must answer without waiting
// for updates, so that a success shows at once.
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

// isStall reports whether a call ended by its time limit, a poll's or the client's.
func isStall(err error) bool {
	return errors.Is(err, errStall) || errors.Is(err, context.DeadlineExceeded)
}
