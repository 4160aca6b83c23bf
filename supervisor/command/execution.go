package command

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
)

// execution is a command or a press that runs or is about to.
type execution struct {
	user   string
	ended  bool               // it is to end, even if it has not begun
	cancel context.CancelFunc // nil until it begins
	done   chan struct{}      // closed when it has ended
}

func newExecution(in supervisor.Inbound) *execution {
	return &execution{user: in.Conversation.User, done: make(chan struct{})}
}

// beginExecution is called before a command runs, and over when it has run. End ends the context
// that it returns.
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

// End ends all commands and presses of a person who may not speak any more, without an answer:
// those that run and those that wait. It returns when none of them runs any more, or with ctx's
// cause when ctx ends before. On disk they stay unanswered, and the service runs them when it is
// started anew, unless they are gone by then.
func (c *Commands) End(ctx context.Context, user string) error {
	for _, j := range c.stopUser(user) {
		select {
		case <-j.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of a command of %s: %w", user, context.Cause(ctx))
		}
	}
	return nil
}

// stopUser forgets what waits of a person, cancels what runs, and returns that.
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
