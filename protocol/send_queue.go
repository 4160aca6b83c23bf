package protocol

import (
	"context"
	"errors"
	"fmt"
)

// enqueue waits for room, until ctx or the connection ends. Then it makes the line and queues it in
// one update.
func (c *Conn) enqueue(ctx context.Context, l lane, size int, line func(*connState) []byte) error {
	limit := c.options.QueueBytes
	if l == laneBulk {
		limit /= 4
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var room <-chan struct{}
		var ended error
		c.update(func(s *connState) { room, ended = s.tryQueue(l, size, limit, line) })
		if ended != nil {
			return closedError(ended)
		}
		if room == nil {
			return nil
		}
		select {
		case <-room:
		case <-c.done:
		case <-ctx.Done():
		}
	}
}

// enqueueNow queues a line of the reader, which must not wait. Such lines may use another quarter
// of the queue. If even this quarter is full, the peer sends calls without reading answers, and the
// error ends the connection.
func (c *Conn) enqueueNow(line []byte) error {
	most, full := c.options.QueueBytes+c.options.QueueBytes/4, false
	c.update(func(s *connState) {
		if full = !s.fits(laneMain, len(line), most); !full {
			s.queue[laneMain].push(line)
		}
	})
	if full {
		return fmt.Errorf("%w: %d bytes of answers wait", ErrPeerStalled, most)
	}
	return nil
}

// closedError says that the connection has ended, and why.
func closedError(cause error) error {
	if errors.Is(cause, ErrClosed) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}
