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

// maxTakenAtStart limits the texts that may join a turn before its first step, in bytes. A longer
// text gets its own answer.
const maxTakenAtStart = 32 << 10

// takeWaiting adds waiting messages to a turn that has not begun its work, if they would stop the
// turn. One answer then covers all messages. takeWaiting returns whether a message waited.
func (t *turn) takeWaiting(ctx context.Context) (taken bool) {
	if progressOf(t.RunningTurn).step > 0 || !t.supersedes(ctx) {
		return false
	}
	n, _ := retry.StoreUntilDone(ctx, t.log, "take in what waits", func() (int, error) {
		return t.Turns.AddWaitingTexts(ctx, t.Turn.ID, maxTakenAtStart, supervisor.PriorityUsual)
	})
	if n == 0 {
		return false
	}
	running, ok := t.reopen(ctx, t.Turn.ID)
	if ok { // otherwise the process is ending, and the turn does not go on
		t.RunningTurn = running
	}
	return ok
}

// restart adds a newer message to the turn that it has stopped. The turn must have said and done
// nothing, so that one answer covers all messages. restart returns false if the turn must end.
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
// the first message of the turn.
func (t *turn) firstMessage(ctx context.Context, at progress) (message int64) {
	asked, ok := retry.StoreUntilDone(ctx, t.log, "find what a turn is to answer", func() (int64, error) {
		return t.Turns.FindFirstMessage(ctx, t.Turn.ID)
	})
	if !ok {
		return at.first
	}
	return asked
}

// watchInbox stops the turn when a newer message should stop it, until end is called. It checks the
// inbox on disk, also once at the start. So a message from just before a crash stops the turn that
// continues after the crash.
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
	waits, err := s.Inbox.ShouldRestartTurn(ctx, s.conversation.ID)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("look for what was sent next", "error", err)
	}
	return waits && err == nil && s.served()
}
