package serve

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// idleAfter is how long a worker has no turn before it tidies up. Giving memory back halves what an idle worker holds
	// after a turn (measured: 5.0 MB private before, 2.3 MB after).
	idleAfter = 10 * time.Second
	// leftoverAge is the age from which a file that was being written is a crash's and not a write under way.
	leftoverAge = 24 * time.Hour
)

// cleanUpWhenIdle runs until ctx ends. Each time that the worker has been idle for a while after a turn it gives memory back, and the
// first time it removes what crashes have left in the person's folder.
func (s *server) cleanUpWhenIdle(ctx context.Context) {
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
			s.removeLeftovers(ctx)
			swept = true
		}
		debug.FreeOSMemory()
	}
}

// removeLeftovers removes half-written files and outputs that nobody uses any more. What goes wrong is the log's: no turn depends on it.
func (s *server) removeLeftovers(ctx context.Context) {
	var c *userTools
	s.update(func(state *serverState) { c = state.tools })
	if _, err := c.files.Sweep(ctx, s.options.Now().Add(-leftoverAge)); err != nil && ctx.Err() == nil {
		s.options.Report(fmt.Errorf("remove half-written files: %w", err))
	}
	if c.shell == nil {
		return
	}
	if err := c.shell.Sweep(); err != nil {
		s.options.Report(fmt.Errorf("remove outputs that were left: %w", err))
	}
}

// runHome counts what the person's folder holds and announces changed tools, once there is a person, until ctx ends.
func (s *server) runHome(ctx context.Context) {
	var u *userTools
	select {
	case <-ctx.Done():
		return
	case u = <-s.opened:
	}
	var follow sync.WaitGroup
	follow.Go(func() { s.followTools(ctx, u) })
	if err := u.quota.Run(ctx); err != nil {
		s.options.Report(err)
	}
	follow.Wait()
}
