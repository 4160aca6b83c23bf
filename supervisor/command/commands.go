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
	Commands(ctx context.Context) ([]supervisor.Inbound, error) // that have no answer yet
	Presses(ctx context.Context) ([]supervisor.Inbound, error)  // likewise
}

// Outbox takes what commands and presses are answered.
type Outbox interface {
	// AnswerCommand takes the answer to one, once.
	AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error)
	// Say takes what is said beside that, in the conversation of d, which is made where there is
	// none.
	Say(ctx context.Context, d supervisor.Delivery) (supervisor.Delivery, error)
}

// Approver decides whether an effect may leave the walls.
type Approver interface {
	// Allow returns nil where it may, and else an error for the person. It may ask them, and wait
	// for their answer.
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
	// Drop drops what waits in a command's conversation, and says how much that is; the same when
	// it is called again.
	Drop func(ctx context.Context, command int64) (int, error)
	// Begin has a text begin a turn that a command has in its arguments. It may be called again for
	// the same command, and does nothing then.
	Begin func(ctx context.Context, c supervisor.Conversation, command int64, text string) error
	// Anew has an edited text that has its answer be answered as it is now, once for a press; it
	// says whether there is such a text.
	Anew func(ctx context.Context, press, edited int64) (bool, error)
	// OfferZone offers to have jobs that keep another time zone keep that of the person; without a
	// text there are none.
	OfferZone func(ctx context.Context, user supervisor.User) (supervisor.Delivery, error)
	Welcome   func(supervisor.Conversation) string // what /start says of this service
	// something was put into its outbox, and perhaps a cleaning; never blocks
	Queued   func(conversation int64)
	Features []feature.Command // beside the core's
	Hidden   []feature.Group   // /help and menus leave them out: they have nothing to work on
	Manual   []Page
	Now      func() time.Time
	Log      hclog.Logger
}

const (
	// commandTimeout bounds a command. A turn that is stopped has to end within it.
	commandTimeout = time.Minute
	// questionTimeout bounds a command for which the person may be asked: a question about an
	// effect stands for an hour.
	questionTimeout = time.Hour + commandTimeout
	// askGrace is how long an approval may take before the conversation's next command runs: the
	// person is being asked then.
	askGrace = 2 * time.Second
)

// Commands runs commands and presses. Those of one conversation run one after another, as they were
// sent; urgent commands and presses run at once. It may be used from several goroutines.
type Commands struct {
	o     Options
	table []feature.Command // as /help lists them; it is not changed

	mu      sync.Mutex           // guards what follows
	waiting []supervisor.Inbound // accepted, and not looked at by Run yet
	// what waits behind what runs, by queueOf; there is one while one runs
	queues map[int64][]supervisor.Inbound
	// inbounds that wait or run: one that is accepted again is not run twice
	taken   map[int64]bool
	active  map[int64]*execution // those that run, or are about to, by inbound
	changed chan struct{}        // holds a token when something waits
}

// New makes Commands; Run runs them. It refuses features whose commands can't be told apart.
func New(o Options) (*Commands, error) {
	c := &Commands{o: o, queues: map[int64][]supervisor.Inbound{}, taken: map[int64]bool{},
		active:  map[int64]*execution{},
		changed: make(chan struct{}, 1)}
	var err error
	if c.table, err = sorted(c.core(), o.Features); err != nil {
		return nil, fmt.Errorf("make the table of commands: %w", err)
	}
	return c, nil
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
	signals.Send(c.changed)
}

// Run runs the commands that were left unanswered when the service last ended, and then what is
// accepted. It returns when ctx has ended and nothing runs any more.
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

// unanswered are the commands and presses that have no answer yet.
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

// takeReady returns those that run from now on, and has the others wait behind what runs in their
// conversation.
func (c *Commands) takeReady() (ready []supervisor.Inbound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Those that were left unanswered may stand behind what was accepted since.
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

// queueOf is the queue in which something waits; 0 is none. A press waits for no command, for a
// command may wait for it; those of questions wait for one another, for each goes on from what the
// one before has picked.
func (c *Commands) queueOf(in supervisor.Inbound) int64 {
	switch {
	case in.Kind == supervisor.KindPress && strings.HasPrefix(in.Text, questionPrefix):
		return -in.Conversation.ID
	case in.Kind == supervisor.KindPress || c.Find(in.Command).Urgent:
		return 0
	}
	return in.Conversation.ID
}

// work runs a command, and then the next of its conversation, which runs earlier where the person
// is asked.
func (c *Commands) work(ctx context.Context, running *sync.WaitGroup, in supervisor.Inbound) {
	behind := sync.OnceFunc(func() {
		if next, more := c.next(in); more && ctx.Err() == nil {
			running.Go(func() { c.work(ctx, running, next) })
		}
	})
	c.run(ctx, in, behind)
	behind()
}

// next is what runs after a command. Nothing does after what waits in no queue.
func (c *Commands) next(over supervisor.Inbound) (in supervisor.Inbound, more bool) {
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

// timeoutOf is how long something may take.
func (c *Commands) timeoutOf(in supervisor.Inbound) time.Duration {
	if row, _ := c.find(in.Command); in.Kind == supervisor.KindPress || row.MayAsk {
		return questionTimeout
	}
	return commandTimeout
}

// run answers a command. It runs again after a crash that came before its answer was on disk, so it
// must be able to.
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

// store puts an answer into the outbox, and tries again for as long as that fails. The outbox
// refuses a second answer to a command that was sent again while its first answer was being stored,
// and an answer to somebody who was deleted.
func (c *Commands) store(ctx context.Context, in supervisor.Inbound, d supervisor.Delivery) {
	log := c.o.Log.With("user", in.Conversation.User, "inbound", in.ID)
	_, kept := retry.Persist(ctx, log, "answer a command", func() (supervisor.Delivery, error) {
		return c.o.Outbox.AnswerCommand(ctx, in.ID, d)
	})
	if kept {
		c.o.Queued(in.Conversation.ID)
	}
}
