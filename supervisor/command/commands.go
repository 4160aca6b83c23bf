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

// Store keeps commands and presses.
type Store interface {
	ListCommands(ctx context.Context) ([]supervisor.Inbound, error) // commands without an answer
	ListPresses(ctx context.Context) ([]supervisor.Inbound, error)  // presses without an answer
}

// Outbox takes the answers to commands and presses.
type Outbox interface {
	// AnswerCommand queues the answer to a command or press, once.
	AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error)
	// Say queues another message in the conversation of d. It creates the conversation if
	// necessary.
	Say(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error)
}

// Approver decides about effects outside the sandbox.
type Approver interface {
	// Allow returns nil if the effect is allowed, or an error for the user. It may ask the user,
	// and wait for the answer.
	Allow(ctx context.Context, r approval.Request) error
}

// People finds users.
type People interface {
	Find(name string) (supervisor.User, bool)
}

// Options are the dependencies of Commands.
type Options struct {
	Store       Store
	Outbox      Outbox
	Sessions    Sessions
	Topics      Topics
	Resender    Resender
	Models      Models
	Choices     Choices
	Queue       Queue
	Usages      Usages
	Budgets     Budgets
	Effects     sqlite.Effects
	Pictures    Pictures
	Questions   Questions
	Cleanings   sqlite.Cleanings
	Approver    Approver
	Locks       Locks
	Invites     Invites
	Groups      Groups
	Grants      sqlite.Grants
	Settings    Settings
	Uploads     Uploads
	Tools       Tools
	OpenedTools sqlite.OpenedTools
	People      People
	Audit       func(user, action, detail string) // never blocks
	Status      func(context.Context, supervisor.Conversation) (string, error)
	// Drop drops the waiting messages of a command's conversation, and counts them. A repeated call
	// returns the same number.
	Drop func(ctx context.Context, command int64) (int, error)
	// Begin begins a turn with the text in a command's arguments. A repeated call for the same
	// command does nothing.
	Begin func(ctx context.Context, c supervisor.Conversation, command int64, text string) error
	// AnswerAgain answers an edited message that was answered before, once for each press. It
	// reports whether there is such a message.
	AnswerAgain func(ctx context.Context, press, edited int64) (bool, error)
	// OfferZone offers to change the jobs in another time zone to the user's new one. The delivery
	// is empty if there are none.
	OfferZone func(ctx context.Context, user supervisor.User) (supervisor.Delivery, error)
	Welcome   func(supervisor.Conversation) string // the service's part of the answer to /start
	// called when an answer, or the removal of buttons, was queued; never blocks
	Queued   func(conversation int64)
	Features []feature.Command // commands of features, besides the core's
	Hidden   []feature.Group   // groups that /help and menus leave out, because they have no data here
	Manual   []Page
	Now      func() time.Time
	Log      hclog.Logger
}

const (
	// commandTimeout limits a command. A stopped turn has to end within it.
	commandTimeout = time.Minute
	// questionTimeout limits a command that may ask its user. A question about an effect is open
	// for an hour.
	questionTimeout = time.Hour + commandTimeout
	// askGrace is how long the next command of a conversation waits for an approval. An approval
	// that takes longer waits for the user's answer, so the next command runs.
	askGrace = 2 * time.Second
)

// Commands runs commands and presses. Those of one conversation run one after another, in the order
// of sending. Urgent commands and presses run at once. It may be used from several goroutines.
type Commands struct {
	o     Options
	table []feature.Command // in the order of /help; never changed

	mu      sync.Mutex           // guards the fields below
	waiting []supervisor.Inbound // accepted inbounds that Run has not yet taken
	// waiting inbounds by the key that queueOf returns; a queue exists while one of its inbounds
	// runs
	queues map[int64][]supervisor.Inbound
	// inbounds that wait or run; a repeated Accept is ignored
	taken   map[int64]bool
	active  map[int64]*execution // inbounds that run or start next
	changed chan struct{}        // holds a token when waiting has inbounds
}

// New makes Commands; Run runs them. It refuses features with colliding commands.
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

// Accept takes a stored command or press. It never blocks.
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
	signals.Send(c.changed)
}

// Run runs the commands that the last life left unanswered, and then accepted ones. It returns when
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

// takeReady returns the inbounds that run now. It queues the others behind the running ones of
// their conversation.
func (c *Commands) takeReady() (ready []supervisor.Inbound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Older unanswered inbounds may come after newer accepted ones.
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

// queueOf returns the queue of an inbound; 0 means none. A press waits for no command, because a
// command may wait for it. Presses of questions wait for each other, because each continues from
// the options picked before.
func (c *Commands) queueOf(in supervisor.Inbound) int64 {
	switch {
	case in.Kind == supervisor.KindPress && strings.HasPrefix(in.Text, questionPrefix):
		return -in.Conversation.ID
	case in.Kind == supervisor.KindPress || c.Find(in.Command).Urgent:
		return 0
	}
	return in.Conversation.ID
}

// runQueue runs a command, and then the next of its conversation. The next one starts earlier if
// the first one asks the user.
func (c *Commands) runQueue(ctx context.Context, running *sync.WaitGroup, in supervisor.Inbound) {
	behind := sync.OnceFunc(func() {
		if next, more := c.nextQueued(in); more && ctx.Err() == nil {
			running.Go(func() { c.runQueue(ctx, running, next) })
		}
	})
	c.run(ctx, in, behind)
	behind()
}

// nextQueued takes the inbound that follows a finished one in its queue. more is false if there is
// none.
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

// run answers a command. A command whose answer was not stored before a crash runs again, so every
// command must be repeatable.
func (c *Commands) run(ctx context.Context, in supervisor.Inbound, aside func()) {
	ctx, over := c.beginExecution(ctx, in)
	defer over()
	bounded, cancel := context.WithTimeout(ctx, c.timeoutOf(in))
	defer cancel()
	d, err := c.answer(bounded, in, aside)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if supervisor.ErrorCode(err) == supervisor.CodeInternal {
			c.o.Log.Error("command", "user", in.Conversation.User, "error", err)
		}
		d = supervisor.Delivery{Text: problem.Message(err)}
	}
	c.store(ctx, in, d)
}

// store queues an answer, and retries while that fails. The outbox refuses a second answer to a
// command that was sent twice, and an answer to a deleted user.
func (c *Commands) store(ctx context.Context, in supervisor.Inbound, d supervisor.Delivery) {
	log := c.o.Log.With("user", in.Conversation.User, "inbound", in.ID)
	_, kept := retry.Persist(ctx, log, "answer a command", func() (supervisor.Delivery, error) {
		return c.o.Outbox.AnswerCommand(ctx, in.ID, d)
	})
	if kept {
		c.o.Queued(in.Conversation.ID)
	}
}
