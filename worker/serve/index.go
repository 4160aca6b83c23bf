package serve

import (
	"context"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/index"
)

// indexHome sends the changed text files of the home to the index.
func indexHome(ctx context.Context, u *userTools, h *host.Operation, _ protocol.IndexParameters) (any, error) {
	more, err := u.indexHome(ctx, h)
	return protocol.IndexResult{More: more}, err
}

func (u *userTools) indexHome(ctx context.Context, h index.Host) (more bool, err error) {
	u.indexing.Lock()
	defer u.indexing.Unlock()
	u.watch.BeginRun()
	return index.Run(ctx, index.Options{Home: u.files, Host: h, Now: u.options.Now, Folder: u.watch.WatchFolder})
}

// watchHome asks for an index operation after each change of the home, until ctx ends. It waits for
// the first turn or operation, which shows that the supervisor has the answer to hello.
func (s *server) watchHome(ctx context.Context, u *userTools) {
	select {
	case <-ctx.Done():
		return
	case <-s.working:
	}
	u.watch.Run(ctx, func() {
		if err := s.conn.Notify(ctx, protocol.MethodIndexChanged, protocol.IndexChangedParams{}); err != nil &&
			ctx.Err() == nil &&
			!errors.Is(err, protocol.ErrClosed) {
			s.options.Report(fmt.Errorf("say that the home has changed: %w", err))
		}
	})
}
