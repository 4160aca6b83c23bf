package command

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
)

// Store keeps commands and their answers.
type Store interface {
	Commands(ctx context.Context) ([]supervisor.Inbound, error) // those not yet answered
}

// Outbox takes a command's answer, once.
type Outbox interface {
	AnswerCommand(ctx context.Context, inbound int64, text string) (supervisor.Delivery, error)
}

// Options are what the commands work on.
type Options struct {
	Store    Store
	Outbox   Outbox
	Sessions Sessions
	Topics   Topics
	Status   func(context.Context, supervisor.Conversation) (string, error)
	Welcome  func(supervisor.Conversation) string // what /start says of this service
	Answered func(conversation int64)             // tells whoever watches to look into the outbox
	Log      hclog.Logger
}

// timeout bounds one command; a stopped turn has to end in it.
const timeout = time.Minute

// Commands runs commands as they come, each in a goroutine of its own.
type Commands struct {
	o Options

	mu      sync.Mutex // guards what follows
	waiting []supervisor.Inbound
	taken   map[int64]bool // inbounds that wait or run: one that was sent again is not run twice
	changed chan struct{}
}

// New makes the commands; Run works them.
func New(o Options) *Commands {
	return &Commands{o: o, taken: map[int64]bool{}, changed: make(chan struct{}, 1)}
}

// Accept takes a command that is on disk. It never blocks.
func (c *Commands) Accept(in supervisor.Inbound) {
	if in.State != supervisor.InboundNew {
		return
	}
	c.mu.Lock()
	if !c.taken[in.ID] {
		c.taken[in.ID] = true
		c.waiting = append(c.waiting, in)
	}
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Run takes up the commands that an earlier life left, then works what comes until ctx ends and what runs has ended.
func (c *Commands) Run(ctx context.Context) error {
	left, err := c.o.Store.Commands(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find unanswered commands: %w", err)
	}
	for _, in := range left {
		c.Accept(in)
	}
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.changed:
		}
		for _, in := range c.take() {
			running.Go(func() { c.run(ctx, in) })
		}
	}
}

func (c *Commands) take() []supervisor.Inbound {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.waiting
	c.waiting = nil
	return taken
}

// run answers one command. A crash before its answer is on disk has it run again: each of them may be.
func (c *Commands) run(ctx context.Context, in supervisor.Inbound) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.taken, in.ID)
	}()
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text, err := c.answer(bounded, in)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal {
			c.o.Log.Error("command", "user", in.Conversation.User, "error", err)
		}
		text = supervisor.ErrorMessage(err)
	}
	c.keep(ctx, in, text)
}

// keep puts an answer into the outbox, however long the store cannot do it. That it refuses is how a command that was
// sent again, and taken again while its first answer was being kept, is answered once.
func (c *Commands) keep(ctx context.Context, in supervisor.Inbound, text string) {
	log := c.o.Log.With("user", in.Conversation.User, "inbound", in.ID)
	put := func() (supervisor.Delivery, error) {
		d, err := c.o.Outbox.AnswerCommand(ctx, in.ID, text)
		if supervisor.ErrorCode(err) == supervisor.CodeInvalid {
			err = backoff.Permanent(err)
		}
		return d, err
	}
	_, err := backoff.Retry(ctx, put, backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, again time.Duration) {
			log.Error("answer a command", "error", err, "again_in", again)
		}))
	switch {
	case err == nil:
		c.o.Answered(in.Conversation.ID)
	case ctx.Err() == nil:
		log.Debug("a command's answer was not kept", "error", err)
	}
}
