package admin

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
)

// userWork is what runs for people.
type UserWork struct {
	// where something is worked on, or waits to be
	ListUnfinished func(context.Context) ([]supervisor.Conversation, error)
	// ends the turn that runs there, as /stop does
	StopTurn func(conversation int64) (ran bool)
	// ends a person's worker, and waits for that
	Evict func(ctx context.Context, user string) error
	// each likewise something else of theirs, also what waits
	Ends []func(ctx context.Context, user string) error
}

const (
	// ending is how long what runs for a person may take to end: a worker is killed sooner, and the
	// end of a turn is a transaction. A client gives up a call after 30 s.
	ending = 20 * time.Second
	// lookAgain is how often it is looked at whether a turn has ended.
	lookAgain = 20 * time.Millisecond
)

// end ends all that runs for a person who is shut out already: their commands, what arrives, voices
// and operations, their turns, and then their worker. When it has returned nil, nothing of theirs
// is written any more.
func (l *UserWork) end(ctx context.Context, user string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, ending, fmt.Errorf("it has not ended within %v", ending))
	defer cancel()
	for _, end := range l.Ends {
		if err := end(ctx, user); err != nil {
			return err
		}
	}
	places, err := l.ListUnfinished(ctx)
	if err != nil {
		return err
	}
	var stopped []int64
	for _, c := range places {
		if c.User == user && l.StopTurn(c.ID) {
			stopped = append(stopped, c.ID)
		}
	}
	if err := l.Evict(ctx, user); err != nil {
		return err
	}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for _, conversation := range stopped {
		for l.StopTurn(conversation) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("wait for the end of a turn of %s: %w", user, context.Cause(ctx))
			}
		}
	}
	return nil
}
