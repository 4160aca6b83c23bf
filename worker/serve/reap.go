package serve

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// reap waits for ended orphans that have become children of this process, until ctx ends. No other
// code waits for them.
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
		if u := s.userTools(); u != nil && u.programs != nil {
			u.programs.Children.ReapOrphans()
		}
	}
}
