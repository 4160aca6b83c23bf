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

// maxTakenAtStart bounds the texts that a turn takes in before it has done anything, in bytes: what is longer has its own answer.
const maxTakenAtStart = 32 << 10

// takeWaiting has a turn that has done nothing yet take in all that waits, where what waits would stop it: after a while in which
// nothing ran, several messages have one answer and not one stopped answer each. It says whether there was something.
func (s *session) takeWaiting(ctx context.Context, open sqlite.RunningTurn) (_ sqlite.RunningTurn, taken bool) {
	if progressOf(open).step > 0 || !s.restarts(ctx) {
		return open, false
	}
	n := 0
	s.persist(ctx, "take in what waits", func() (err error) {
		n, err = s.Turns.Take(ctx, open.Turn.ID, maxTakenAtStart)
		return err
	})
	if n == 0 {
		return open, false
	}
	again, ok := s.reopen(ctx, open)
	if !ok {
		return open, false // the process is ending: nothing of the turn runs
	}
	return again, true
}

// restartWithWaiting has a turn that was stopped for what was sent next take that in, where nobody has seen anything of it: it has said and
// done nothing, so there is nothing to tell of it, and one answer is to all. Not taken is that the turn is to end.
func (s *session) restartWithWaiting(ctx context.Context, open sqlite.RunningTurn, o outcome) (_ sqlite.RunningTurn, taken bool) {
	if said, _ := o.stream.Text(); !o.superseded || said != "" {
		return open, false
	}
	now, ok := s.reopen(ctx, open)
	if !ok {
		return open, false
	}
	return s.takeWaiting(ctx, now)
}

// firstMessage is the message with which began what a turn is to answer. Where the store can't say, it is the turn's own first.
func (s *session) firstMessage(ctx context.Context, open sqlite.RunningTurn) (message int64) {
	message = progressOf(open).first
	s.persist(ctx, "find what a turn is to answer", func() error {
		found, err := s.Turns.Asked(ctx, open.Turn.ID)
		if err == nil {
			message = found
		}
		return err
	})
	return message
}

// watchInbox stops a turn as soon as something waits behind it, where its person wants that, until the returned function is
// called. It goes by what is on disk and by nothing else, and looks once when the turn begins: what was sent just before a
// crash stops the turn that goes on after it.
func (s *session) watchInbox(ctx context.Context, turn supervisor.Turn) (end func()) {
	if s.Busy == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			if superseded(ctx, s) {
				s.stops.supersede(turn.Inbound)
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

// superseded says whether something waits that is to stop the turn that runs. Where the store can't say it waits, as it
// would in a queue.
func superseded(ctx context.Context, s *session) bool {
	if !s.restarts(ctx) {
		return false
	}
	_, waits, err := s.Inbox.Next(ctx, s.conversation.ID)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("look for what was sent next", "user", s.conversation.User, "conversation", s.conversation.ID, "error", err)
	}
	return waits && err == nil && s.served()
}
