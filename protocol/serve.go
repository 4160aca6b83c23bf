package protocol

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// server is the part of a connection that takes the other side's notifications and answers its calls. The reader is the
// goroutine that calls notified and called.
type server struct {
	shared   *sharedState
	handler  Handler
	options  Options
	answers  sync.WaitGroup  // of the calls that are being answered; only the reader adds to it
	lastBulk <-chan struct{} // closed when the newest bulk call is answered; the reader's own
}

// handleNotification takes a notification on the reader's goroutine.
func (s *server) handleNotification(m *wireMessage) error {
	req := &Request{Method: m.method, Params: m.params}
	if m.method != MethodCancel {
		s.handler.Notify(req)
		return nil
	}
	var params Cancel
	if err := req.Decode(&params); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	var cancel context.CancelCauseFunc
	s.shared.update(func(st *connState) { cancel = st.serving[params.ID] })
	if cancel != nil {
		cancel(ErrCancelled)
	}
	return nil
}

// handleCall admits a call on the reader's goroutine. ping and a refusal are answered here and now.
func (s *server) handleCall(ctx context.Context, m *wireMessage) error {
	req := &Request{ID: m.id, Method: m.method, Params: m.params}
	ctx, cancel := context.WithCancelCause(ctx)
	most := s.options.MaxCalls
	if m.method == MethodPing {
		most = 0
	}
	var busy bool
	var err error
	s.shared.update(func(st *connState) { busy, err = st.admit(m.id, laneOf(m.method), most, cancel) })
	if err != nil || busy {
		cancel(nil)
	}
	switch {
	case err != nil:
		return err
	case m.method == MethodPing:
		return s.answerNow(m.id, req.Decode(nil))
	case busy:
		text := fmt.Sprintf("%s: %d calls are in flight", quote([]byte(m.method)), most)
		return s.answerNow(m.id, &Error{Code: CodeBusy, Message: text})
	}
	before, done := s.orderOf(laneOf(m.method))
	s.answers.Go(func() {
		defer cancel(nil)
		defer close(done)
		<-before
		s.answer(ctx, req)
	})
	return nil
}

// orderOf says when a call may begin, and is told when it is over: bulk calls are answered one after the other, others
// at once. On the reader's goroutine.
func (s *server) orderOf(l lane) (before <-chan struct{}, done chan struct{}) {
	done = make(chan struct{})
	if l == laneMain {
		return alreadyClosed, done
	}
	before, s.lastBulk = s.lastBulk, done
	return before, done
}

// alreadyClosed is what nobody needs to wait for.
var alreadyClosed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// answer handles one call, in its own goroutine.
func (s *server) answer(ctx context.Context, req *Request) {
	result, err := s.handler.Call(ctx, req)
	if s.shared.cause() != nil {
		return
	}
	if err != nil {
		err = s.publicError(ctx, req, err)
	}
	p, member := s.encodeAnswer(req.Method, result, err)
	line := func(st *connState) []byte {
		delete(st.serving, req.ID)
		return p.line(answerHead(req.ID, member))
	}
	if s.shared.enqueue(context.WithoutCancel(ctx), laneOf(req.Method), p.size(), line) != nil {
		return // the connection has ended, and with it the wish for an answer
	}
}

// answerNow answers from the reader's goroutine: null, or the failure. An error ends the connection.
func (s *server) answerNow(id int64, failure error) error {
	member, value := answerBody(nil, failure)
	p, err := encodeLine(value, noLimit)
	if err != nil {
		return err
	}
	return s.shared.enqueueNow(p.line(answerHead(id, member)))
}

// publicError turns a handler's error into what the other side may know of it.
func (s *server) publicError(ctx context.Context, req *Request, err error) *Error {
	var told *Error
	if errors.As(err, &told) {
		return told
	}
	if context.Cause(ctx) == ErrCancelled && (errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled)) {
		return &Error{Code: CodeCancelled, Message: req.Method + ": cancelled"}
	}
	s.options.Report(fmt.Errorf("answer %s: %w", req.Method, err))
	return &Error{Code: CodeInternal, Message: internalError}
}

const internalError = "internal error"

// encodeAnswer encodes a result or a failure. What cannot be sent is reported, and stands as an internal error.
func (s *server) encodeAnswer(method string, result any, failure error) (p outgoingLine, member string) {
	member, value := answerBody(result, failure)
	p, err := encodeLine(value, s.options.MaxLine)
	if err != nil {
		s.options.Report(fmt.Errorf("answer %s: %w", method, err))
		return encodeText(`{"code":-32603,"message":"` + internalError + `"}`), "error"
	}
	return p, member
}

// answerBody is what an answer says, and in which member of the envelope.
func answerBody(result any, failure error) (member string, value any) {
	if failure != nil {
		return "error", failure
	}
	return "result", result
}
