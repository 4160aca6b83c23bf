package serve

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

const (
	// idleAfter is how long a worker has no turn before it tidies up. Giving memory back halves what an idle worker holds
	// after a turn (measured: 5.0 MB private before, 2.3 MB after).
	idleAfter = 10 * time.Second
	// sweepOlder is the age from which a file that was being written is a crash's and not a write under way.
	sweepOlder = 24 * time.Hour
)

// tidy runs until ctx ends. Each time that the worker has been idle for a while after a turn it gives memory back, and the
// first time it removes what crashes have left in the person's folder.
func (s *server) tidy(ctx context.Context) {
	timer := time.NewTimer(idleAfter)
	timer.Stop()
	defer timer.Stop()
	swept := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.idle:
			timer.Reset(idleAfter)
			continue
		case <-timer.C:
		}
		if !swept {
			s.sweep(ctx)
			swept = true
		}
		debug.FreeOSMemory()
	}
}

// sweep removes half-written files and outputs that nobody uses any more. What goes wrong is the log's: no turn depends on it.
func (s *server) sweep(ctx context.Context) {
	var c *chamber
	s.update(func(state *state) { c = state.chamber })
	if _, err := c.files.Sweep(ctx, s.options.Now().Add(-sweepOlder)); err != nil && ctx.Err() == nil {
		s.options.Report(fmt.Errorf("remove half-written files: %w", err))
	}
	if c.shell == nil {
		return
	}
	if err := c.shell.Sweep(); err != nil {
		s.options.Report(fmt.Errorf("remove outputs that were left: %w", err))
	}
}

// rest tells tidy that no turn is running.
func (s *server) rest() {
	select {
	case s.idle <- struct{}{}:
	default:
	}
}

// keepCount keeps count of what the person's folder holds, once there is a person, until ctx ends.
func keepCount(ctx context.Context, greeted <-chan *chamber, report func(error)) {
	select {
	case <-ctx.Done():
	case c := <-greeted:
		if err := c.quota.Run(ctx); err != nil {
			report(err)
		}
	}
}
