package protocol

import (
	"context"
	"errors"
	"fmt"
)

// call is an outgoing call until it is answered.
type call struct {
	answer    chan *wireMessage // has room for the call's only answer
	abandoned bool              // no caller waits for the answer any longer; only Conn.update may use this field
}

// Call calls method and waits for its answer. It decodes a result into result as DecodeStrict does;
// nil accepts any result. If the other side answers with an error, the returned error wraps an
// *Error. If ctx ends, Call sends cancel, and the other side has CancelGrace to answer. An answer
// in time is returned as usual. Without an answer the error wraps context.Cause(ctx). After the end
// of the connection the error wraps ErrClosed. Handler.HandleNotification must not call Call.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	p, err := encodeRequest(method, params, c.options.MaxLine)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	m, err := c.roundTrip(ctx, method, p)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	if m.failure != nil {
		return fmt.Errorf("call %s: %w", method, m.failure)
	}
	if result == nil {
		return nil
	}
	if err := DecodeStrict(m.result, result); err != nil {
		return fmt.Errorf("call %s: result: %w: %w", method, ErrProtocolBroken, err)
	}
	return nil
}

// Notify queues a notification. If the queue is full, Notify waits until ctx or the connection
// ends. Notify does not wait until the line is written. Handler.HandleNotification must not call
// Notify.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if err := c.notify(ctx, laneOf(method), method, params); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

func (c *Conn) notify(ctx context.Context, l lane, method string, params any) error {
	p, err := encodeRequest(method, params, c.options.MaxLine)
	if err != nil {
		return err
	}
	return c.enqueue(ctx, l, p.size(), func(*connState) []byte { return p.line(requestHead(0, method)) })
}

// roundTrip sends a call and waits for its answer.
func (c *Conn) roundTrip(ctx context.Context, method string, p outgoingLine) (*wireMessage, error) {
	mine, id := &call{answer: make(chan *wireMessage, 1)}, int64(0)
	line := func(s *connState) []byte {
		id = s.addCall(mine)
		return p.line(requestHead(id, method))
	}
	if err := c.enqueue(ctx, laneOf(method), p.size(), line); err != nil {
		return nil, err
	}
	select {
	case m := <-mine.answer:
		return m, nil
	case <-c.done:
		return c.answerAtEnd(mine)
	case <-ctx.Done():
	}
	return c.cancelCall(ctx, mine, id, method)
}

// answerAtEnd returns the answer of a call that was open when the connection ended. The answer may
// have come just before the end.
func (c *Conn) answerAtEnd(mine *call) (*wireMessage, error) {
	select {
	case m := <-mine.answer:
		return m, nil
	default:
		return nil, closedError(c.Err())
	}
}

// cancelCall cancels a call whose ctx has ended, and waits up to Options.CancelGrace for its
// answer. The cancel uses the lane of the call, so that it cannot overtake the call.
func (c *Conn) cancelCall(ctx context.Context, mine *call, id int64, method string) (*wireMessage, error) {
	cause := context.Cause(ctx)
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), c.options.CancelGrace)
	defer stop()
	if err := c.notify(grace, laneOf(method), MethodCancel, CancelParams{ID: id}); err != nil && !errors.Is(err,
		context.DeadlineExceeded) {
		return c.answerAtEnd(mine)
	}
	select {
	case m := <-mine.answer:
		return m, nil
	case <-c.done:
		return c.answerAtEnd(mine)
	case <-grace.Done():
	}
	var err error
	c.update(func(s *connState) { err = s.abandon(id) })
	if err != nil {
		c.Close(err)
	}
	return nil, cause
}

// handleResponse hands a response to its call.
func (c *Conn) handleResponse(m *wireMessage) error {
	var mine *call
	var err error
	c.update(func(s *connState) { mine, err = s.takeCall(m.id) })
	if err != nil {
		return err
	}
	mine.answer <- m
	return nil
}
