package command

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
)

// execution is a command or press that runs or will run next.
type execution struct {
	user   string
	ended  bool               // the user is locked out, so the execution ends at once or never begins
	cancel context.CancelFunc // cancels the execution; nil until it begins
	done   chan struct{}      // closed when the execution has ended
}

func newExecution(in supervisor.Inbound) *execution {
	return &execution{user: in.Conversation.User, done: make(chan struct{})}
}

// beginExecution registers a command that begins to run. The caller calls the returned function
// over when the command has ended. EndUserCommands cancels the returned context.
func (c *Commands) beginExecution(ctx context.Context, in supervisor.Inbound) (_ context.Context, over func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.active[in.ID]
	if j.cancel = cancel; j.ended {
		cancel()
	}
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.taken, in.ID)
		delete(c.active, in.ID)
		cancel()
		close(j.done)
	}
}

// EndUserCommands ends all commands and presses of a locked-out user, without an answer. It returns
// when they have ended, or with ctx's cause if ctx ends earlier. The commands stay unanswered in
// the store. The next start runs them unless they were deleted.
func (c *Commands) EndUserCommands(ctx context.Context, user string) error {
	for _, j := range c.stopUser(user) {
		select {
		case <-j.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of a command of %s: %w", user, context.Cause(ctx))
		}
	}
	return nil
}

// stopUser drops the waiting inbounds of a user, and cancels and returns the running ones.
func (c *Commands) stopUser(user string) (ending []*execution) {
	c.mu.Lock()
	defer c.mu.Unlock()
	theirs := func(in supervisor.Inbound) bool {
		if in.Conversation.User != user {
			return false
		}
		delete(c.taken, in.ID)
		return true
	}
	c.waiting = slices.DeleteFunc(c.waiting, theirs)
	for conversation, queue := range c.queues {
		c.queues[conversation] = slices.DeleteFunc(queue, theirs)
	}
	for _, j := range c.active {
		if j.user != user {
			continue
		}
		if j.ended = true; j.cancel != nil {
			j.cancel()
		}
		ending = append(ending, j)
	}
	return ending
}
