package session

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// supersedes says whether what the person sends is to stop what runs.
func (s *session) supersedes(ctx context.Context) bool {
	return s.Busy != nil && !s.behind && s.Busy(ctx, s.conversation.User) == supervisor.BusyRestart
}

// maxTakenAtStart bounds the texts that a turn takes in before it has done anything, in bytes. What
// is longer has its own answer.
const maxTakenAtStart = 32 << 10

// takeWaiting has a turn that has done nothing yet take in all that waits, where that would stop
// it: after a while in which nothing ran, several messages get one answer, and not a stopped answer
// each. It says whether there was something.
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
	if ok { // else the process is ending: nothing of the turn runs
		t.RunningTurn = running
	}
	return ok
}

// restart has a turn that was stopped for what was sent next take that in, where it has said and
// done nothing: nobody has seen anything of it, so there is nothing to tell of it, and one answer
// is to all. It says false where the turn is to end.
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

// firstMessage is the message with which began what a turn is to answer. Where the store cannot
// say, it is the turn's own first.
func (t *turn) firstMessage(ctx context.Context, at progress) (message int64) {
	asked, ok := retry.Persist(ctx, t.log, "find what a turn is to answer", func() (int64, error) {
		return t.Turns.Asked(ctx, t.Turn.ID)
	})
	if !ok {
		return at.first
	}
	return asked
}

// watchInbox stops the turn as soon as something waits behind it, where its person wants that,
// until the returned function is called. It goes by what is on disk and by nothing else, and looks
// once when it begins: what was sent just before a crash stops the turn that goes on after it.
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

// superseded says whether something waits that is to stop the turn that runs. Where the store
// cannot say, nothing is stopped.
func (s *session) superseded(ctx context.Context) bool {
	if !s.supersedes(ctx) {
		return false
	}
	waits, err := s.Inbox.Supersedes(ctx, s.conversation.ID)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("look for what was sent next", "error", err)
	}
	return waits && err == nil && s.served()
}
