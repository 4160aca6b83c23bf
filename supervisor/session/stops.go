package session

import (
	"context"
	"sync"

	"mews/protocol"
	"mews/supervisor"
)

// stops is the door through which turns are stopped from outside their sessions. What is asked for stays until the turn
// has ended, whether that runs already or has yet to begin. The methods may be called from any goroutine.
type stops struct {
	mu      sync.Mutex // guards what follows, and every ask's why
	running map[int64]runningTurn
	asked   map[int64]*ask // by the inbound that the turn answers
}

// runningTurn is one that has begun. The key is the inbound that it answers.
type runningTurn struct {
	conversation int64
	cancel       context.CancelCauseFunc
}

// ask is that a turn is to be stopped.
type ask struct {
	conversation int64
	over         chan struct{} // closed when the turn has ended
	why          protocol.Why  // how, once over is closed; "" where nobody could say
}

func newStops() *stops { return &stops{running: map[int64]runningTurn{}, asked: map[int64]*ask{}} }

// ask has the turn of an inbound stopped, now or as soon as it begins.
func (s *stops) ask(conversation, inbound int64) *ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asked[inbound]
	if a == nil {
		a = &ask{conversation: conversation, over: make(chan struct{})}
		s.asked[inbound] = a
	}
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errStopped)
	}
	return a
}

// now stops the turn that runs in a conversation, and forgets that it did. It says whether there was one.
func (s *stops) now(conversation int64) (stopped bool) {
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

// outdate ends the turn of an inbound if it runs, for what was sent next. What asks for it is kept on disk, and asks again.
func (s *stops) outdate(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(errOutdated)
	}
}

// wanted says whether a turn of the conversation is to be stopped that has not ended.
func (s *stops) wanted(conversation int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		if a.conversation == conversation {
			return true
		}
	}
	return false
}

// begin opens the door to a turn. The context ends when the turn is stopped; it has ended already where that was asked
// for before.
func (s *stops) begin(ctx context.Context, turn supervisor.Turn) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[turn.Inbound] = runningTurn{turn.Conversation.ID, cancel}
	if s.asked[turn.Inbound] != nil {
		cancel(errStopped)
	}
	return ctx
}

// leave closes the door to a turn that is left, ended or not. What was asked for stays asked for.
func (s *stops) leave(inbound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn, ok := s.running[inbound]; ok {
		turn.cancel(nil)
		delete(s.running, inbound)
	}
}

// over tells whoever asked that the turn of an inbound has ended.
func (s *stops) over(inbound int64, why protocol.Why) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.asked[inbound]; a != nil {
		a.why = why
		close(a.over)
		delete(s.asked, inbound)
	}
}
