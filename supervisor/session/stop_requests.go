package session

import (
	"context"
	"sync"

	"mews/protocol"
	"mews/supervisor"
)

// stopRequests stops turns from outside their sessions. A request stays until the turn has ended,
// whether that runs already or has yet to begin. The methods may be called from any goroutine.
type stopRequests struct {
	mu       sync.Mutex // guards what follows, and the why of every request
	running  map[int64]runningTurn
	requests map[int64]*stopRequest // by the inbound that the turn answers
}

// runningTurn is one that has begun. The key is the inbound that it answers.
type runningTurn struct {
	conversation int64
	cancel       context.CancelCauseFunc
}

// stopRequest says that a turn is to be stopped.
type stopRequest struct {
	conversation int64
	ended        chan struct{} // closed when the turn has ended
	why          protocol.Why  // how, once ended is closed; "" where nobody could say
	// readers are who still looks at what waits behind the turn: its session begins no other turn
	// meanwhile.
	readers sync.WaitGroup
}

func newStopRequests() *stopRequests {
	return &stopRequests{running: map[int64]runningTurn{}, requests: map[int64]*stopRequest{}}
}

// request has the turn of an inbound stopped, now or as soon as it begins. The caller calls
// readers.Done once.
func (s *stopRequests) request(conversation, inbound int64) *stopRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[inbound]
	if r == nil {
		r = &stopRequest{conversation: conversation, ended: make(chan struct{})}
		s.requests[inbound] = r
	}
	r.readers.Add(1)
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errStopped)
	}
	return r
}

// stopRunning stops the turn that runs in a conversation, and forgets that it did. It says whether
// there was one.
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

// supersede ends the turn of an inbound if it runs, for what was sent next. No request is kept:
// what was sent is on disk.
func (s *stopRequests) supersede(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errSuperseded)
	}
}

// wanted says whether there is a request for a turn of the conversation.
func (s *stopRequests) wanted(conversation int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.conversation == conversation {
			return true
		}
	}
	return false
}

// turnBegun says that a turn runs. The context ends when the turn is stopped; it has ended already
// where that was requested before.
func (s *stopRequests) turnBegun(ctx context.Context, turn supervisor.Turn) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[turn.Inbound] = runningTurn{turn.Conversation.ID, cancel}
	if s.requests[turn.Inbound] != nil {
		cancel(errStopped)
	}
	return ctx
}

// turnLeft says that a turn runs no more, whether it has ended or not. A request for it stays.
func (s *stopRequests) turnLeft(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(nil)
		delete(s.running, inbound)
	}
}

// turnEnded answers the request for an inbound's turn, which has ended, and returns it; nil where
// there is none.
func (s *stopRequests) turnEnded(inbound int64, why protocol.Why) *stopRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[inbound]
	if r != nil {
		r.why = why
		close(r.ended)
		delete(s.requests, inbound)
	}
	return r
}
