package session

import (
	"context"
	"sync"

	"mews/protocol"
	"mews/supervisor"
)

// stopRequests stops turns from outside their sessions. A request stays until its turn has ended,
// even if the turn has not begun yet. The methods are safe for several goroutines.
type stopRequests struct {
	mu       sync.Mutex // guards the fields below, and the field why of requests
	running  map[int64]runningTurn
	requests map[int64]*stopRequest // stop requests, by the inbound that the turn answers
}

// runningTurn is a turn that has begun.
type runningTurn struct {
	conversation int64
	cancel       context.CancelCauseFunc
}

// stopRequest is a request to stop a turn.
type stopRequest struct {
	conversation int64
	ended        chan struct{}          // closed when the turn has ended, or can't begin any more
	joined       bool                   // whether the text was taken into another turn; valid after ended is closed
	why          protocol.TurnEndReason // reason of the turn's end, valid after ended is closed; "" if no turn ended
	// goroutines that still read the inbox for this request; the session begins its next turn after
	// them
	readers sync.WaitGroup
}

func newStopRequests() *stopRequests {
	return &stopRequests{running: map[int64]runningTurn{}, requests: map[int64]*stopRequest{}}
}

// request stops the turn of an inbound, at once or when the turn begins. The caller must call
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

// stopRunning stops the running turn of a conversation, without storing a request. It returns
// whether a turn ran.
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

// supersede stops the running turn of an inbound because of a newer message. It stores no request,
// because the message is on disk.
func (s *stopRequests) supersede(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errSuperseded)
	}
}

// wanted reports whether there is a request for a turn of the conversation.
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

// list returns the inbounds of a conversation with a stop request.
func (s *stopRequests) list(conversation int64) (inbounds []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for inbound, r := range s.requests {
		if r.conversation == conversation {
			inbounds = append(inbounds, inbound)
		}
	}
	return inbounds
}

// textGone ends the stop request for a text that gets no turn of its own any more. If joined is
// true, the text was taken into another turn. The result is the request, or nil.
func (s *stopRequests) textGone(inbound int64, joined bool) *stopRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[inbound]
	if r != nil {
		r.joined = joined
		close(r.ended)
		delete(s.requests, inbound)
	}
	return r
}

// turnBegun records that a turn runs. The returned context ends when the turn is stopped; it has
// ended already if a stop was requested before.
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

// turnLeft records that a turn does not run any more, even if it has not ended. A stop request
// stays.
func (s *stopRequests) turnLeft(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(nil)
		delete(s.running, inbound)
	}
}

// turnEnded ends the stop request for a turn that has ended. It returns the request, or nil.
func (s *stopRequests) turnEnded(inbound int64, why protocol.TurnEndReason) *stopRequest {
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
