package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
)

// Store stores commands and presses.
type Store interface {
	ListCommands(ctx context.Context) ([]supervisor.Inbound, error) // lists the commands without an answer
	ListPresses(ctx context.Context) ([]supervisor.Inbound, error)  // lists the presses without an answer
}

// Outbox queues answers to commands and presses.
type Outbox interface {
	// AnswerCommand queues the answer to a command or press. A second answer is refused.
	AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error)
	// SendNotice queues a message in the conversation of d. If there is no such conversation, it
	// creates one.
	SendNotice(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error)
	// SendInboundNotice queues a message about a command in the command's conversation.
	SendInboundNotice(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error)
	// Outcome returns the outcome of a delivery, or "" if it is not done.
	Outcome(ctx context.Context, delivery int64) (supervisor.DeliveryResult, error)
}

// Approver decides whether an effect outside the sandbox is allowed.
type Approver interface {
	// Allow returns nil if the effect is allowed, or an error for the user. It may ask the user and
	// wait for the answer.
	Allow(ctx context.Context, r approval.Request) error
}

// People finds users.
type People interface {
	Find(name string) (supervisor.User, bool)
}

// Options are the dependencies of Commands.
type Options struct {
	Store          Store
	Outbox         Outbox
	Sessions       Sessions
	Topics         Topics
	Resender       Resender
	Models         Models
	Choices        ModelChoices
	Queue          Queue
	Usages         UsageSums
	Budgets        Budgets
	Effects        sqlite.Effects
	Pictures       GeneratedFileStore
	Questions      Questions
	Cleanings      sqlite.MessageCleanups
	Approver       Approver
	Locks          Gates
	Invites        Invites
	Groups         Groups
	Grants         sqlite.Grants
	Settings       Settings
	Uploads        Uploads
	Tools          Tools
	OpenedTools    sqlite.OpenedTools
	PrivateAnswers PrivateAnswers
	People         People
	Audit          func(user, action, detail string) // adds an entry to the audit log; never blocks
	Status         func(context.Context, supervisor.Conversation) (string, error)
	// Doctor returns the report of `mews doctor --json`.
	Doctor func(context.Context) (string, error)
	// Drop drops the waiting messages of a command's conversation, and returns their number. A
	// repeated call for the same command returns the same number.
	Drop func(ctx context.Context, command int64) (int, error)
	// Begin queues the text after a command, such as /new, as a message. A repeated call for the
	// same command does nothing.
	Begin func(ctx context.Context, c supervisor.Conversation, command int64, text string) error
	// AnswerAgain queues an edited message for a new answer, once for each press. It returns false
	// if the message is gone or has no answer yet.
	AnswerAgain func(ctx context.Context, press, edited int64) (bool, error)
	// RetryTurn queues the messages of a parked turn again. It returns false if the turn has no
	// messages, or if they were queued again before.
	RetryTurn func(ctx context.Context, c supervisor.Conversation, turn int64) (bool, error)
	// OfferZone asks the user whether to move jobs to their new time zone. The delivery is empty if
	// no job is in another zone.
	OfferZone func(ctx context.Context, user supervisor.User) (supervisor.Delivery, error)
	// Welcome returns the service's text in the answer to /start.
	Welcome func(context.Context, supervisor.Conversation) string
	// called after Commands has queued an answer or removed buttons; never blocks
	Queued   func(conversation int64)
	Features []feature.Command // commands of the features, besides those of the core
	// groups of commands without a use on this installation; /help and menus leave them out
	Hidden []feature.HelpGroup
	Manual func() []ManualPage
	Now    func() time.Time
	Log    hclog.Logger
}

const (
	// commandTimeout limits a command. A turn that /stop ends must end within this time.
	commandTimeout = time.Minute
	// questionTimeout limits a command that asks its user, because a question is open for an hour.
	questionTimeout = time.Hour + commandTimeout
	// askGrace is how long the next command of a conversation waits for a command that asks for
	// approval. Then the next command runs.
	askGrace = 2 * time.Second
)

// Commands runs commands and presses. In a conversation they run one by one, in the order of
// sending. Urgent commands and presses run at once. The methods of Commands are safe for several
// goroutines.
type Commands struct {
	o     Options
	table []feature.Command // all commands, in the order of /help; never changed

	mu      sync.Mutex           // guards the fields below
	waiting []supervisor.Inbound // accepted commands and presses that Run has not yet started or queued
	// waiting inbounds, by the key that queueOf returns; a queue exists while an inbound of it runs
	queues map[int64][]supervisor.Inbound
	// IDs of inbounds that wait or run; Accept ignores these
	taken   map[int64]bool
	active  map[int64]*execution // executions of inbounds that run or will start next
	changed chan struct{}        // holds a token when waiting is not empty
}

// New makes Commands. Two commands with the same name or press are an error.
func New(o Options) (*Commands, error) {
	c := &Commands{o: o, queues: map[int64][]supervisor.Inbound{}, taken: map[int64]bool{},
		active:  map[int64]*execution{},
		changed: make(chan struct{}, 1)}
	var err error
	if c.table, err = mergeCommands(c.core(), o.Features); err != nil {
		return nil, fmt.Errorf("make the table of commands: %w", err)
	}
	return c, nil
}

// Accept takes a stored command or press, for Run. It never blocks.
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
	signals.SendToken(c.changed)
}

// Run runs accepted commands, after those that an earlier process left unanswered. It returns when
// ctx has ended and no command runs.
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
			running.Go(func() { c.runQueue(ctx, &running, in) })
		}
	}
}

// unanswered lists the commands and presses without an answer.
func (c *Commands) unanswered(ctx context.Context) ([]supervisor.Inbound, error) {
	commands, err := c.o.Store.ListCommands(ctx)
	if err != nil {
		return nil, fmt.Errorf("find unanswered commands: %w", err)
	}
	presses, err := c.o.Store.ListPresses(ctx)
	if err != nil {
		return nil, fmt.Errorf("find unanswered presses: %w", err)
	}
	return append(commands, presses...), nil
}

// takeReady returns the accepted inbounds that may run now. It queues the rest behind the running
// commands of their conversations.
func (c *Commands) takeReady() (ready []supervisor.Inbound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Older inbounds from the store may follow newer accepted ones.
	slices.SortFunc(c.waiting, func(a, b supervisor.Inbound) int { return cmp.Compare(a.ID, b.ID) })
	for _, in := range c.waiting {
		key := c.queueOf(in)
		queue, busy := c.queues[key]
		switch {
		case key == 0:
			ready = append(ready, in)
		case busy:
			c.queues[key] = append(queue, in)
		default:
			c.queues[key] = nil
			ready = append(ready, in)
		}
	}
	c.waiting = nil
	for _, in := range ready {
		c.active[in.ID] = newExecution(in)
	}
	return ready
}

// queueOf returns the key of an inbound's queue; 0 means no queue. A press waits for no command,
// because a command may wait for the press. Presses of questions wait for each other, because each
// adds to the options that were picked before.
func (c *Commands) queueOf(in supervisor.Inbound) int64 {
	switch {
	case in.Kind == supervisor.KindPress && strings.HasPrefix(in.Text, questionPrefix):
		return -in.Conversation.ID
	case in.Kind == supervisor.KindPress || c.FindCommand(in.Command).Urgent:
		return 0
	}
	return in.Conversation.ID
}

// runQueue runs a command, and then the next commands of its conversation. While a command asks its
// user, the next command may start.
func (c *Commands) runQueue(ctx context.Context, running *sync.WaitGroup, in supervisor.Inbound) {
	behind := sync.OnceFunc(func() {
		if next, more := c.nextQueued(in); more && ctx.Err() == nil {
			running.Go(func() { c.runQueue(ctx, running, next) })
		}
	})
	c.run(ctx, in, behind)
	behind()
}

// nextQueued takes the next inbound from the queue of the finished inbound over. The result more is
// false if the queue is empty.
func (c *Commands) nextQueued(over supervisor.Inbound) (in supervisor.Inbound, more bool) {
	key := c.queueOf(over)
	if key == 0 {
		return in, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	queue := c.queues[key]
	if len(queue) == 0 {
		delete(c.queues, key)
		return in, false
	}
	c.queues[key], c.active[queue[0].ID] = queue[1:], newExecution(queue[0])
	return queue[0], true
}

// timeoutOf returns the time limit of an inbound.
func (c *Commands) timeoutOf(in supervisor.Inbound) time.Duration {
	if row, _ := c.find(in.Command); in.Kind == supervisor.KindPress || row.MayAsk {
		return questionTimeout
	}
	return commandTimeout
}

// run answers a command. If the service crashes before the answer is stored, the command runs
// again. So every command must be repeatable.
func (c *Commands) run(ctx context.Context, in supervisor.Inbound, aside func()) {
	ctx, over := c.beginExecution(ctx, in)
	defer over()
	bounded, cancel := context.WithTimeout(ctx, c.timeoutOf(in))
	defer cancel()
	d, private, err := c.answer(bounded, in, aside)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if supervisor.ErrorCodeOf(err) == supervisor.CodeInternal {
			c.o.Log.Error("command", "user", in.Conversation.User, "error", err)
		}
		d = supervisor.Delivery{Text: problem.UserText(err)}
	}
	c.store(ctx, in, d)
	if private != 0 {
		aside()
		c.tellGroup(ctx, in, private)
	}
}

// store queues an answer, and retries after a failure. The outbox refuses a second answer to the
// same command, and an answer to a deleted user; both are final.
func (c *Commands) store(ctx context.Context, in supervisor.Inbound, d supervisor.Delivery) {
	log := c.o.Log.With("user", in.Conversation.User, "inbound", in.ID)
	_, kept := retry.StoreUntilDone(ctx, log, "answer a command", func() (supervisor.Delivery, error) {
		return c.o.Outbox.AnswerCommand(ctx, in.ID, d)
	})
	if kept {
		c.o.Queued(in.Conversation.ID)
	}
}
