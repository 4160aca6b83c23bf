package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/approval"
)

// Store keeps commands and presses.
type Store interface {
	Commands(ctx context.Context) ([]supervisor.Inbound, error) // those not yet answered
	Presses(ctx context.Context) ([]supervisor.Inbound, error)  // likewise
}

// Outbox takes a command's answer, or a press's, once.
type Outbox interface {
	AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error)
}

// Approver decides whether an effect may leave the walls.
type Approver interface {
	// Allow returns nil where it may, and else an error for the person. It may ask them, and wait for their answer.
	Allow(ctx context.Context, r approval.Request) error
}

// People are the users.
type People interface {
	Find(name string) (supervisor.User, bool)
}

// Options are what the commands work on.
type Options struct {
	Store       Store
	Outbox      Outbox
	Sessions    Sessions
	Topics      Topics
	Undelivered Undelivered
	Models      Models
	Choices     Choices
	Usages      Usages
	Budgets     Budgets
	Pictures    Pictures
	Questions   Questions
	Cleanings   Cleanings
	Approver    Approver
	Locks       Locks
	Invites     Invites
	Groups      Groups
	Grants      Grants
	Settings    Settings
	People      People
	Audit       func(user, action, detail string)  // never blocks
	InGroup     func(supervisor.Conversation) bool // others read what is said there
	Status      func(context.Context, supervisor.Conversation) (string, error)
	Welcome     func(supervisor.Conversation) string // what /start says of this service
	Queued      func(conversation int64)             // something is in its outbox, and perhaps a message to be cleaned
	Log         hclog.Logger
}

const (
	// commandTimeout bounds one command; a stopped turn has to end in it.
	commandTimeout = time.Minute
	// questionTimeout bounds one before which the person may be asked: a question about an effect stands for an hour.
	questionTimeout = time.Hour + commandTimeout
	// askGrace is after how long it is taken that the person is being asked, and what waits behind the command runs.
	askGrace = 2 * time.Second
)

// Commands runs commands: those of one conversation one after another, as they were sent, and a /stop, a /lock or a press at
// once.
type Commands struct {
	o Options

	mu      sync.Mutex                     // guards what follows
	waiting []supervisor.Inbound           // not yet given to anybody
	queues  map[int64][]supervisor.Inbound // what waits behind the one that runs, by conversation; there while one runs
	taken   map[int64]bool                 // inbounds that wait or run: one that was sent again is not run twice
	active  map[int64]*execution           // those that run, or are about to
	changed chan struct{}
}

// New makes the commands; Run works them.
func New(o Options) *Commands {
	return &Commands{o: o, queues: map[int64][]supervisor.Inbound{}, taken: map[int64]bool{}, active: map[int64]*execution{},
		changed: make(chan struct{}, 1)}
}

// Accept takes a command or a press that is on disk. It never blocks.
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
	left, err := c.unanswered(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
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
		for _, in := range c.takeReady() {
			running.Go(func() { c.work(ctx, &running, in) })
		}
	}
}

// unanswered are the commands and presses that an earlier life did not answer.
func (c *Commands) unanswered(ctx context.Context) ([]supervisor.Inbound, error) {
	commands, err := c.o.Store.Commands(ctx)
	if err != nil {
		return nil, fmt.Errorf("find unanswered commands: %w", err)
	}
	presses, err := c.o.Store.Presses(ctx)
	if err != nil {
		return nil, fmt.Errorf("find unanswered presses: %w", err)
	}
	return append(commands, presses...), nil
}

// takeReady gives those that run from now on, and has the others wait behind what runs in their conversation.
func (c *Commands) takeReady() (ready []supervisor.Inbound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Those that an earlier life left may stand behind what was sent in this one.
	slices.SortFunc(c.waiting, func(a, b supervisor.Inbound) int { return cmp.Compare(a.ID, b.ID) })
	for _, in := range c.waiting {
		queue, busy := c.queues[in.Conversation.ID]
		switch {
		case bypassesQueue(in):
			ready = append(ready, in)
		case busy:
			c.queues[in.Conversation.ID] = append(queue, in)
		default:
			c.queues[in.Conversation.ID] = nil
			ready = append(ready, in)
		}
	}
	c.waiting = nil
	for _, in := range ready {
		c.active[in.ID] = newExecution(in)
	}
	return ready
}

// bypassesQueue says whether something waits for no other: an urgent command is for now, and so is a press, for which a command
// may wait.
func bypassesQueue(in supervisor.Inbound) bool {
	return in.Kind == supervisor.KindPress || Find(in.Command).Urgent
}

// work runs a command, and then what waits behind it: that runs before the command is over where its person is being asked.
func (c *Commands) work(ctx context.Context, running *sync.WaitGroup, in supervisor.Inbound) {
	behind := sync.OnceFunc(func() {
		if next, more := c.next(in); more && ctx.Err() == nil {
			running.Go(func() { c.work(ctx, running, next) })
		}
	})
	c.run(ctx, in, behind)
	behind()
}

// next is what runs after a command. Behind what passes the queue by there is nothing.
func (c *Commands) next(over supervisor.Inbound) (in supervisor.Inbound, more bool) {
	if bypassesQueue(over) {
		return in, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queues[over.Conversation.ID]
	if len(queue) == 0 {
		delete(c.queues, over.Conversation.ID)
		return in, false
	}
	c.queues[over.Conversation.ID], c.active[queue[0].ID] = queue[1:], newExecution(queue[0])
	return queue[0], true
}

// timeoutOf is how long something may take.
func timeoutOf(in supervisor.Inbound) time.Duration {
	if row, _ := find(in.Command); in.Kind == supervisor.KindPress || row.mayAsk {
		return questionTimeout
	}
	return commandTimeout
}

// run answers one command. A crash before its answer is on disk has it run again: each of them may be.
func (c *Commands) run(ctx context.Context, in supervisor.Inbound, aside func()) {
	ctx, over := c.beginExecution(ctx, in)
	defer over()
	bounded, cancel := context.WithTimeout(ctx, timeoutOf(in))
	defer cancel()
	d, err := c.answer(bounded, in, aside)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal {
			c.o.Log.Error("command", "user", in.Conversation.User, "error", err)
		}
		d = supervisor.Delivery{Text: supervisor.ErrorMessage(err)}
	}
	c.store(ctx, in, d)
}

// permanentRefusals are what the store says of an answer that it will never take: the command has one, or is not there any more.
var permanentRefusals = map[supervisor.Code]bool{supervisor.CodeInvalid: true, supervisor.CodeNotFound: true}

// store puts an answer into the outbox, however long the store cannot do it. That it refuses is how a command that was
// sent again, and taken again while its first answer was being kept, is answered once, and how one of somebody who was
// deleted is answered never.
func (c *Commands) store(ctx context.Context, in supervisor.Inbound, d supervisor.Delivery) {
	log := c.o.Log.With("user", in.Conversation.User, "inbound", in.ID)
	put := func() (supervisor.Delivery, error) {
		kept, err := c.o.Outbox.AnswerCommand(ctx, in.ID, d)
		if permanentRefusals[supervisor.ErrorCode(err)] {
			err = backoff.Permanent(err)
		}
		return kept, err
	}
	_, err := backoff.Retry(ctx, put, backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, again time.Duration) {
			log.Error("answer a command", "error", err, "again_in", again)
		}))
	switch {
	case err == nil:
		c.o.Queued(in.Conversation.ID)
	case ctx.Err() == nil:
		log.Debug("a command's answer was not kept", "error", err)
	}
}
