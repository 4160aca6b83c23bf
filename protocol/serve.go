package protocol

import (
	"context"
	"errors"
	"fmt"
)

// notified takes a notification on the reader's goroutine.
func (c *Conn) notified(m *wire) error {
	req := &Request{Method: m.method, Params: m.params}
	if m.method != MethodCancel {
		c.handler.Notify(req)
		return nil
	}
	var params Cancel
	if err := req.Decode(&params); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	var cancel context.CancelCauseFunc
	c.update(func(s *state) { cancel = s.serving[params.ID] })
	if cancel != nil {
		cancel(ErrCancelled)
	}
	return nil
}

// called admits a call on the reader's goroutine. ping and a refusal are answered here and now.
func (c *Conn) called(ctx context.Context, m *wire) error {
	req := &Request{ID: m.id, Method: m.method, Params: m.params}
	ctx, cancel := context.WithCancelCause(ctx)
	most := c.options.MaxCalls
	if m.method == MethodPing {
		most = 0
	}
	var busy bool
	var err error
	c.update(func(s *state) { busy, err = s.admit(m.id, laneOf(m.method), most, cancel) })
	if err != nil || busy {
		cancel(nil)
	}
	switch {
	case err != nil:
		return err
	case m.method == MethodPing:
		return c.answerNow(m.id, req.Decode(nil))
	case busy:
		text := fmt.Sprintf("%s: %d calls are in flight", quote([]byte(m.method)), most)
		return c.answerNow(m.id, &Error{Code: CodeBusy, Message: text})
	}
	before, done := c.inLine(laneOf(m.method))
	c.workers.Go(func() {
		defer cancel(nil)
		defer close(done)
		<-before
		c.serve(ctx, req)
	})
	return nil
}

// inLine says when a call may begin, and is told when it is over: bulk calls are answered one after the other, others
// at once. On the reader's goroutine.
func (c *Conn) inLine(l lane) (before <-chan struct{}, done chan struct{}) {
	done = make(chan struct{})
	if l == laneMain {
		return passed, done
	}
	before, c.lastBulk = c.lastBulk, done
	return before, done
}

// passed is what nobody needs to wait for.
var passed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// serve answers one call, in its own goroutine.
func (c *Conn) serve(ctx context.Context, req *Request) {
	result, err := c.handler.Call(ctx, req)
	if c.Err() != nil {
		return
	}
	if err != nil {
		err = c.outward(ctx, req, err)
	}
	p, member := c.packAnswer(req.Method, result, err)
	line := func(s *state) []byte {
		delete(s.serving, req.ID)
		return p.line(answerHead(req.ID, member))
	}
	if c.enqueue(context.WithoutCancel(ctx), laneOf(req.Method), p.size(), line) != nil {
		return // the connection has ended, and with it the wish for an answer
	}
}

// outward turns a handler's error into what the other side may know of it.
func (c *Conn) outward(ctx context.Context, req *Request, err error) *Error {
	var told *Error
	if errors.As(err, &told) {
		return told
	}
	if context.Cause(ctx) == ErrCancelled && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled)) {
		return &Error{Code: CodeCancelled, Message: req.Method + ": cancelled"}
	}
	c.options.Report(fmt.Errorf("answer %s: %w", req.Method, err))
	return &Error{Code: CodeInternal, Message: internalError}
}

const internalError = "internal error"

// packAnswer encodes a result or a failure. What cannot be sent is reported, and stands as an internal error.
func (c *Conn) packAnswer(method string, result any, failure error) (p parcel, member string) {
	member, value := "result", result
	if failure != nil {
		member, value = "error", failure
	}
	p, err := pack(value, c.options.MaxLine)
	if err != nil {
		c.options.Report(fmt.Errorf("answer %s: %w", method, err))
		return packText(`{"code":-32603,"message":"` + internalError + `"}`), "error"
	}
	return p, member
}
