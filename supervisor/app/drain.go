package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mews/supervisor"
)

const (
	// drainTimeout is how long a service that stops for an update lets its turns run on. The next
	// version resumes the turns that need longer.
	drainTimeout = 20 * time.Second
	drainPoll    = 50 * time.Millisecond
	// A pause of longPause or more is told to admins before it begins. They are told within tellLimit,
	// or not at all.
	longPause = 10 * time.Second
	tellLimit = 5 * time.Second
)

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
		if m, found := findMove(updaterFolder, s.version); found {
			s.drain(drained, m)
		}
	}()
	return drained, stop
}

// drain tells admins of a long pause, and waits until no turn runs, for drainTimeout at most.
func (s *service) drain(ctx context.Context, m updateMove) {
	s.log.Info("an update waits for running turns", "longest", drainTimeout)
	end := time.Now().Add(drainTimeout)
	if m.from == s.version && m.migration >= longPause {
		s.tellOfPause(ctx, m)
	}
	for !s.process.isIdle() && time.Now().Before(end) && ctx.Err() == nil {
		time.Sleep(drainPoll)
	}
}

// tellOfPause tells all admins how long an update will take. It returns when the messages are taken.
func (s *service) tellOfPause(ctx context.Context, m updateMove) {
	ctx, cancel := context.WithTimeout(ctx, tellLimit)
	defer cancel()
	text := fmt.Sprintf(textUpdatePause, m.to, m.migration)
	var all sync.WaitGroup
	for _, u := range s.people.Admins() {
		all.Go(func() {
			err := s.sendDirectly(ctx, u.PrivateChat(), text)
			if errors.Is(err, errors.ErrUnsupported) { // a terminal shows it now, or later
				err = s.sendNotice(ctx, supervisor.Delivery{Conversation: u.PrivateChat(), Text: text})
			}
			if err != nil {
				s.log.Warn("an admin was not told of the pause of an update", "user", u.Name, "error", err)
			}
		})
	}
	all.Wait()
}
