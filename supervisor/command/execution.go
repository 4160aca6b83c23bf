package command

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor"
)

// execution is a command or a press that runs, or is about to.
type execution struct {
	user   string
	ended  bool               // it is to end, also if it has not begun
	cancel context.CancelFunc // nil until it begins
	done   chan struct{}      // closed when it has ended
}

func newExecution(in supervisor.Inbound) *execution {
	return &execution{user: in.Conversation.User, done: make(chan struct{})}
}

// beginExecution is the beginning of one that is about to run; over is to be called at its end. Its context ends with End, too.
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

// End ends all commands and presses of a person who is shut out already, without an answer: those that run, perhaps for an
// approval, and those that wait. It returns when none of them runs any more, or with ctx's cause when ctx ends before. On disk
// they stay unanswered: the next life of the service takes them up again, unless they are gone by then.
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

// stopUser forgets what waits of a person, and gives what runs, which is told to end.
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
