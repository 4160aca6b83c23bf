package session

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// restarts says whether what the person sends is to stop what runs.
func (s *session) restarts(ctx context.Context) bool {
	return s.Busy != nil && s.Busy(ctx, s.conversation.User) == supervisor.BusyRestart
}

// gather has a turn that has done nothing yet take in all that waits, where what waits would stop it: after a while in which
// nothing ran, several messages have one answer and not one stopped answer each.
func (s *session) gather(ctx context.Context, open sqlite.OpenTurn) sqlite.OpenTurn {
	if resume(open).step > 0 || !s.restarts(ctx) {
		return open
	}
	taken := 0
	s.persist(ctx, "take in what waits", func() (err error) {
		taken, err = s.Turns.Take(ctx, open.Turn.ID)
		return err
	})
	if taken == 0 {
		return open
	}
	if again, ok := s.reopen(ctx, open); ok {
		return again
	}
	return open // the process is ending: nothing of the turn runs
}

// watch stops a turn as soon as something waits behind it, where its person wants that, until the returned function is
// called. It goes by what is on disk and by nothing else, and looks once when the turn begins: what was sent just before a
// crash stops the turn that goes on after it.
func (s *session) watch(ctx context.Context, turn supervisor.Turn) (end func()) {
	if s.Busy == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			if s.outdated(ctx) {
				s.stops.outdate(turn.Inbound)
				return
			}
			select {
			case <-s.arrived:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// outdated says whether something waits that is to stop the turn that runs. Where the store can't say it waits, as it
// would in a queue.
func (s *session) outdated(ctx context.Context) bool {
	if !s.restarts(ctx) {
		return false
	}
	_, waits, err := s.Inbox.Next(ctx, s.conversation.ID)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("look for what was sent next", "user", s.conversation.User, "conversation", s.conversation.ID, "error", err)
	}
	return waits && err == nil && s.served()
}
