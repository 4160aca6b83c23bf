package admin

import (
	"context"
	"fmt"
	"time"

	"mews/supervisor"
)

// UserWork controls the work that runs for users.
type UserWork struct {
	// lists conversations with running or waiting work
	ListUnfinished func(context.Context) ([]supervisor.Conversation, error)
	// stops the running turn of a conversation, as /stop does
	StopTurn func(conversation int64) (ran bool)
	// ends a user's worker, and waits for its end
	Evict func(ctx context.Context, user string) error
	// functions that each end another kind of a user's work, running or waiting
	EndOthers []func(ctx context.Context, user string) error
}

const (
	// endTimeout is the time that ending a user's work may take. A worker is killed earlier, and a
	// turn ends in one transaction. A client gives up a call after 30 s.
	endTimeout = 20 * time.Second
	// pollInterval is the time between two checks whether a turn has ended.
	pollInterval = 20 * time.Millisecond
)

// end ends all work of a removed user. First it ends commands, arriving files, transcriptions and
// operations, then turns, and last the worker. After end has returned nil, no data of the user is
// written.
func (l *UserWork) end(ctx context.Context, user string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, endTimeout, fmt.Errorf("it has not ended within %v", endTimeout))
	defer cancel()
	for _, end := range l.EndOthers {
		if err := end(ctx, user); err != nil {
			return err
		}
	}
	waiting, err := l.ListUnfinished(ctx)
	if err != nil {
		return err
	}
	var stopped []int64
	for _, c := range waiting {
		if c.User == user && l.StopTurn(c.ID) {
			stopped = append(stopped, c.ID)
		}
	}
	if err := l.Evict(ctx, user); err != nil {
		return err
	}
	tick := time.NewTicker(pollInterval)
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
