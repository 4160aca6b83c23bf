package serve

import (
	"context"
	"time"

	"mews/protocol"
)

// stop ends the turns, answers, and has Run return.
func (s *server) stop(_ context.Context, req *protocol.Request) (any, error) {
	if err := req.Decode(nil); err != nil {
		return nil, err
	}
	if !s.stopWork() {
		return nil, outOfPhase(protocol.MethodStop, phaseStopping)
	}
	defer close(s.stopped)
	return nil, nil
}

// stopWork cancels every turn, lets no other begin, and waits until they have ended or stopTimeout is over. It is false
// when somebody else has done so.
func (s *server) stopWork() bool {
	first := false
	s.update(func(state *serverState) {
		first = state.transition(phaseStopping) == nil
		for _, cancel := range state.running {
			cancel(errStopping)
		}
	})
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-s.conn.Done():
	case <-time.After(stopTimeout):
	}
	return first
}
