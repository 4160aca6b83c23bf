package protocol

import (
	"context"
	"errors"
	"fmt"
)

// handleNotification handles a notification on the reader's goroutine.
func (c *Conn) handleNotification(m *wireMessage) error {
	req := &Request{Method: m.method, Params: m.params}
	if m.method != MethodCancel {
		c.handler.HandleNotification(req)
		return nil
	}
	var params CancelParams
	if err := req.DecodeParams(&params); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocolBroken, err)
	}
	var cancel context.CancelCauseFunc
	c.update(func(s *connState) { cancel = s.serving[params.ID] })
	if cancel != nil {
		cancel(ErrCallCancelled)
	}
	return nil
}

// handleCall admits a call on the reader's goroutine. It answers ping, and refuses excess calls, at
// once.
func (c *Conn) handleCall(ctx context.Context, m *wireMessage) error {
	req := &Request{ID: m.id, Method: m.method, Params: m.params}
	ctx, cancel := context.WithCancelCause(ctx)
	most := c.options.MaxCalls
	if m.method == MethodPing {
		most = 0
	}
	var busy bool
	var err error
	c.update(func(s *connState) { busy, err = s.admit(m.id, laneOf(m.method), most, cancel) })
	if err != nil || busy {
		cancel(nil)
	}
	switch {
	case err != nil:
		return err
	case m.method == MethodPing:
		return c.answerNow(m.id, req.DecodeParams(nil))
	case busy:
		text := fmt.Sprintf("%s: %d calls are in flight", quote([]byte(m.method)), most)
		return c.answerNow(m.id, &Error{Code: CodeBusy, Message: text})
	}
	before, done := alreadyClosed, make(chan struct{})
	if laneOf(m.method) == laneBulk { // bulk calls are handled one by one, all other calls at the same time
		before, c.lastBulk = c.lastBulk, done
	}
	c.answers.Go(func() {
		defer cancel(nil)
		defer close(done)
		<-before
		c.answer(ctx, req)
	})
	return nil
}

// alreadyClosed is a closed channel, for calls that wait for no earlier call.
var alreadyClosed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// answer handles one call, in its own goroutine.
func (c *Conn) answer(ctx context.Context, req *Request) {
	result, err := c.handler.HandleCall(ctx, req)
	if c.Err() != nil {
		return
	}
	if err != nil {
		err = c.publicError(ctx, req, err)
	}
	p, member := c.encodeAnswer(req.Method, result, err)
	line := func(s *connState) []byte {
		delete(s.serving, req.ID)
		return p.line(answerHead(req.ID, member))
	}
	// An error means that the connection has ended, so no caller waits for the answer.
	_ = c.enqueue(context.WithoutCancel(ctx), laneOf(req.Method), p.size(), line)
}

// answerNow answers a call from the reader's goroutine, with null or with the failure. An error
// ends the connection.
func (c *Conn) answerNow(id int64, failure error) error {
	p, member := c.encodeAnswer("", nil, failure)
	return c.enqueueNow(p.line(answerHead(id, member)))
}

// publicError turns a handler's error into an error that the other side may see.
func (c *Conn) publicError(ctx context.Context, req *Request, err error) *Error {
	var told *Error
	if errors.As(err, &told) {
		return told
	}
	if context.Cause(ctx) == ErrCallCancelled && (errors.Is(err, context.Canceled) || errors.Is(err,
		ErrCallCancelled)) {
		return &Error{Code: CodeCancelled, Message: req.Method + ": cancelled"}
	}
	c.options.Report(fmt.Errorf("answer %s: %w", req.Method, err))
	return &Error{Code: CodeInternal, Message: internalError}
}

const internalError = "internal error"

// encodeAnswer encodes a result or a failure, and returns its member of the envelope. An answer
// that cannot be encoded is reported, and replaced by an internal error.
func (c *Conn) encodeAnswer(method string, result any, failure error) (p outgoingLine, member string) {
	member, value := "result", result
	if failure != nil {
		member, value = "error", failure
	}
	p, err := encodeLine(value, c.options.MaxLine)
	if err != nil {
		c.options.Report(fmt.Errorf("answer %s: %w", method, err))
		return encodeText(`{"code":-32603,"message":"` + internalError + `"}`), "error"
	}
	return p, member
}
