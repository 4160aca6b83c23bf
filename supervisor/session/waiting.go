package session

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// supersedes reports whether the user's new messages stop a running turn.
func (s *session) supersedes(ctx context.Context) bool {
	return s.Busy != nil && !s.behind && s.Busy(ctx, s.conversation.User) == supervisor.BusyRestart
}

// maxTakenAtStart is the maximum of texts that a turn takes in before its first step, in bytes. A
// longer text gets its own answer.
const maxTakenAtStart = 32 << 10

// takeWaiting lets a turn that has done nothing yet take in all waiting messages that would stop
// it. So such messages get one answer together, instead of a stopped answer for each. It returns
// whether there were any.
func (t *turn) takeWaiting(ctx context.Context) (taken bool) {
	if progressOf(t.RunningTurn).step > 0 || !t.supersedes(ctx) {
		return false
	}
	n, _ := retry.Persist(ctx, t.log, "take in what waits", func() (int, error) {
		return t.Turns.Take(ctx, t.Turn.ID, maxTakenAtStart, supervisor.PriorityUsual)
	})
	if n == 0 {
		return false
	}
	running, ok := t.reopen(ctx, t.Turn.ID)
	if ok { // otherwise the process is ending, and the turn runs no further
		t.RunningTurn = running
	}
	return ok
}

// restart lets a turn that was stopped for a newer message take that message in. The turn must have
// said and done nothing: then users have seen nothing of it, and one answer covers all. restart
// returns false if the turn must end.
func (t *turn) restart(ctx context.Context) bool {
	if said, _ := t.stream.Text(); said != "" {
		return false
	}
	running, ok := t.reopen(ctx, t.Turn.ID)
	if ok {
		t.RunningTurn = running
	}
	return ok && t.takeWaiting(ctx)
}

// firstMessage returns the first message that a turn must answer. If the store fails, it returns
// the turn's own first message.
func (t *turn) firstMessage(ctx context.Context, at progress) (message int64) {
	asked, ok := retry.Persist(ctx, t.log, "find what a turn is to answer", func() (int64, error) {
		return t.Turns.FirstMessage(ctx, t.Turn.ID)
	})
	if !ok {
		return at.first
	}
	return asked
}

// watchInbox stops the turn when a message waits that should stop it, until end is called. It reads
// only the disk, and checks once at its beginning. So a message from just before a crash stops the
// turn that continues after the crash.
func (t *turn) watchInbox(ctx context.Context) (end func()) {
	if t.Busy == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	superseded := t.superseded(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for !superseded {
			select {
			case <-t.arrived:
				superseded = t.superseded(ctx)
			case <-ctx.Done():
				return
			}
		}
		t.stops.supersede(t.Turn.Inbound)
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// superseded reports whether a waiting message should stop the running turn. If the store fails, it
// returns false.
func (s *session) superseded(ctx context.Context) bool {
	if !s.supersedes(ctx) {
		return false
	}
	waits, err := s.Inbox.ShouldRestart(ctx, s.conversation.ID)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("look for what was sent next", "error", err)
	}
	return waits && err == nil && s.served()
}
