package serve

import (
	"context"
	"time"

	"mews/protocol"
)

// stop ends turns and operations, answers, and makes Run return.
func (s *server) stop(_ context.Context, req *protocol.Request) (any, error) {
	if err := req.DecodeParams(nil); err != nil {
		return nil, err
	}
	if !s.stopWork() {
		return nil, outOfPhase(protocol.MethodStop, phaseStopping)
	}
	defer close(s.stopped)
	return nil, nil
}

// stopWork cancels all turns and operations, and admits no further work. It waits for their end, at
// most stopTimeout. A second call returns false.
func (s *server) stopWork() bool {
	first := false
	s.update(func(state *serverState) {
		first = state.moveTo(phaseStopping)
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
