package serve

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// reap takes the orphans that have ended, until ctx ends: they have come to this process, and nobody else waits for them.
func (s *server) reap(ctx context.Context) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		}
		var c *userTools
		s.update(func(state *serverState) { c = state.tools })
		if c != nil && c.shell != nil {
			c.shell.Reap()
		}
	}
}
