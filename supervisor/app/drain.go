package app

import (
	"context"
	"time"
)

// drainTimeout is how long a service that stops for an update lets its turns run on. The next version
// resumes the turns that need longer.
const drainTimeout = 20 * time.Second

const drainPoll = 50 * time.Millisecond

// drained returns a context that ends with ctx, or, if an update waits, when no turn runs any more.
func (s *service) drained(ctx context.Context) (context.Context, context.CancelFunc) {
	drained, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends with one of the contexts
		select {
		case <-drained.Done():
			return
		case <-ctx.Done():
		}
		defer stop()
		if !isOnTrial(updaterFolder, s.version) {
			return
		}
		s.log.Info("an update waits for running turns", "longest", drainTimeout)
		for end := time.Now().Add(drainTimeout); !s.process.isIdle() && time.Now().Before(end); {
			time.Sleep(drainPoll)
		}
	}()
	return drained, stop
}
