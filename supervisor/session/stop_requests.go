package session

import (
	"context"
	"sync"

	"mews/protocol"
	"mews/supervisor"
)

// stopRequests is the door through which turns are stopped from outside their sessions. What is asked for stays until the turn
// has ended, whether that runs already or has yet to begin. The methods may be called from any goroutine.
type stopRequests struct {
	mu       sync.Mutex // guards what follows, and every ask's why
	running  map[int64]runningTurn
	requests map[int64]*stopRequest // by the inbound that the turn answers
}

// runningTurn is one that has begun. The key is the inbound that it answers.
type runningTurn struct {
	conversation int64
	cancel       context.CancelCauseFunc
}

// request is that a turn is to be stopped.
type stopRequest struct {
	conversation int64
	ended        chan struct{} // closed when the turn has ended
	why          protocol.Why  // how, once over is closed; "" where nobody could say
}

func newStopRequests() *stopRequests {
	return &stopRequests{running: map[int64]runningTurn{}, requests: map[int64]*stopRequest{}}
}

// request has the turn of an inbound stopped, now or as soon as it begins.
func (s *stopRequests) request(conversation, inbound int64) *stopRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.requests[inbound]
	if a == nil {
		a = &stopRequest{conversation: conversation, ended: make(chan struct{})}
		s.requests[inbound] = a
	}
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errStopped)
	}
	return a
}

// stopRunning stops the turn that runs in a conversation, and forgets that it did. It says whether there was one.
func (s *stopRequests) stopRunning(conversation int64) (stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, turn := range s.running {
		if turn.conversation == conversation {
			turn.cancel(errStopped)
			stopped = true
		}
	}
	return stopped
}

// supersede ends the turn of an inbound if it runs, for what was sent next. What asks for it is kept on disk, and asks again.
func (s *stopRequests) supersede(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errSuperseded)
	}
}

// wanted says whether a turn of the conversation is to be stopped that has not ended.
func (s *stopRequests) wanted(conversation int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.requests {
		if a.conversation == conversation {
			return true
		}
	}
	return false
}

// begin opens the door to a turn. The context ends when the turn is stopped; it has ended already where that was asked
// for before.
func (s *stopRequests) begin(ctx context.Context, turn supervisor.Turn) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[turn.Inbound] = runningTurn{turn.Conversation.ID, cancel}
	if s.requests[turn.Inbound] != nil {
		cancel(errStopped)
	}
	return ctx
}

// left closes the door to a turn that is left, ended or not. What was asked for stays asked for.
func (s *stopRequests) left(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(nil)
		delete(s.running, inbound)
	}
}

// ended tells whoever asked that the turn of an inbound has ended.
func (s *stopRequests) ended(inbound int64, why protocol.Why) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.requests[inbound]; a != nil {
		a.why = why
		close(a.ended)
		delete(s.requests, inbound)
	}
}
