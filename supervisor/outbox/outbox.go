package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// stopGrace is how long a call that is under way at the end may take to become known.
const stopGrace = 5 * time.Second

// errStopping ends a call that took longer.
var errStopping = errors.New("mews stops")

// Outbox runs a chatQueue for each chat that has something to do.
type Outbox struct {
	Options
	gate        *gate
	health      *health
	cleaningDue chan struct{} // holds a token when there may be a new cleaning

	mu        sync.Mutex // guards what follows, and what each queue says is guarded by it
	locations map[int64]location
	// how many chats have got a new name: what was read before the last may be wrong
	moves     int
	toLocate  map[int64]struct{}    // conversations whose location is to be found
	queues    map[string]*chatQueue // by chat
	leaving   map[string]*chatQueue // of chats with another name that have not seen it yet, by that
	unstarted []*chatQueue
	changed   chan struct{} // holds a token when toLocate or unstarted may hold something
}

// location is where a conversation is.
type location struct {
	ours bool   // of this channel; where it is not, that is remembered for good
	chat string // remembered as long as the chat has a queue
}

// Status is what an outbox is about.
type Status struct {
	Chats []string // those with something to do, sorted
	// chats that nothing may be sent to before that time; "" is all of them
	Frozen   map[string]time.Time
	Troubles []Trouble // chats in which something does not go, sorted
}

// New makes an outbox; Run works it.
func New(o Options) *Outbox {
	o.Limit, o.Log = cmp.Or(o.Limit, maxMessage), cmp.Or(o.Log, hclog.NewNullLogger())
	return &Outbox{
		Options:     o,
		gate:        newGate(o.Name, o.Rates, o.Now),
		health:      &health{Options: o, troubles: map[string]Trouble{}},
		locations:   map[int64]location{},
		toLocate:    map[int64]struct{}{},
		queues:      map[string]*chatQueue{},
		leaving:     map[string]*chatQueue{},
		changed:     make(chan struct{}, 1),
		cleaningDue: make(chan struct{}, 1),
	}
}

// Changed is to be called when a reply has begun, grown or ended, and when there is a delivery, in
// any conversation of any channel. It never blocks, and may be called before Run.
func (o *Outbox) Changed(conversation int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, ok := o.locations[conversation]
	switch {
	case !ok:
		o.askLocation(conversation)
	case at.ours:
		o.wake(at.chat, conversation)
	}
}

// Moved is to be called when a chat has got a new name otherwise than by a call of this outbox.
func (o *Outbox) Moved(from, to string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moves++
	for id, at := range o.locations {
		if at.ours && at.chat == from {
			delete(o.locations, id)
			o.askLocation(id)
		}
	}
	if q := o.queues[from]; q != nil {
		clear(q.woken)
		q.renamed = true
		o.leaving[to] = q
	}
	o.wake(from, 0)
	o.wake(to, 0)
}

// Status tells what the outbox is about.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	chats := slices.Sorted(maps.Keys(o.queues))
	o.mu.Unlock()
	return Status{Chats: chats, Frozen: o.gate.currentFreezes(), Troubles: o.health.inTrouble()}
}

// Run goes on with what an earlier life left, then works what is new until ctx ends. From then on
// no call begins, and one that is under way has a few seconds to become known. Run returns when
// every queue has ended.
func (o *Outbox) Run(ctx context.Context) error {
	if err := o.start(ctx); err != nil {
		return unlessEnded(ctx, err)
	}
	calls, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var running sync.WaitGroup
	for again := never; ; {
		for _, q := range o.takeUnstarted() {
			running.Go(func() { q.run(ctx, calls) })
		}
		if !wait(ctx, o.changed, again.Sub(o.Now())) {
			break
		}
		again = o.locate(ctx)
	}
	defer time.AfterFunc(stopGrace, func() { cut(errStopping) }).Stop()
	running.Wait()
	return nil
}

// unlessEnded is err, unless ctx has ended: then the error is that one's.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// start reads what is on disk.
func (o *Outbox) start(ctx context.Context) error {
	if err := o.restoreFreezes(ctx); err != nil {
		return err
	}
	due, err := o.Deliveries.ListDue(ctx, o.Name)
	if err != nil {
		return fmt.Errorf("find what is to be sent to %s: %w", o.Name, err)
	}
	for _, c := range due {
		o.setLocation(c.ID, c, 0)
	}
	return nil
}

// restoreFreezes puts the freezes of an earlier life in force, as far as they still last. To do it
// again changes nothing.
func (o *Outbox) restoreFreezes(ctx context.Context) error {
	frozen, err := o.Freezes.Frozen(ctx, o.Source)
	if err != nil {
		return fmt.Errorf("read the freezes of %s: %w", o.Name, err)
	}
	o.gate.restoreFreezes(frozen)
	return nil
}

// askLocation has a conversation's location be found. The caller has o.mu.
func (o *Outbox) askLocation(conversation int64) {
	o.toLocate[conversation] = struct{}{}
	signals.Send(o.changed)
}

// locate finds the locations that are asked for. Where the store fails, it says when to ask again.
func (o *Outbox) locate(ctx context.Context) (again time.Time) {
	o.mu.Lock()
	asked, moves := slices.Collect(maps.Keys(o.toLocate)), o.moves
	o.mu.Unlock()
	for _, id := range asked {
		c, _, err := o.Conversations.FindByID(ctx, id)
		if err != nil {
			o.Log.Error("find a conversation", "conversation", id, "error", err)
			return o.Now().Add(time.Second)
		}
		o.setLocation(id, c, moves)
	}
	return never
}

// setLocation remembers where a conversation is, and wakes its queue. What was read before the last
// move is asked for again. A conversation that does not exist has no channel.
func (o *Outbox) setLocation(id int64, c supervisor.Conversation, moves int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if moves != o.moves {
		o.askLocation(id)
		return
	}
	delete(o.toLocate, id)
	at := location{ours: c.Channel == o.Name, chat: c.Chat}
	o.locations[id] = at
	if at.ours {
		o.wake(at.chat, id)
	}
}

// wake has a chat's queue look at a conversation. A queue is made where there is none. The caller
// has o.mu.
func (o *Outbox) wake(chat string, conversation int64) {
	q := o.queues[chat]
	if q == nil {
		q = newChatQueue(o, chat)
		o.queues[chat] = q
		o.unstarted = append(o.unstarted, q)
		signals.Send(o.changed)
	}
	q.woken[conversation] = struct{}{}
	signals.Send(q.wake)
}

// takeUnstarted are the queues that are to be started.
func (o *Outbox) takeUnstarted() []*chatQueue {
	o.mu.Lock()
	defer o.mu.Unlock()
	unstarted := o.unstarted
	o.unstarted = nil
	return unstarted
}

// takeWoken are the conversations for which a queue was woken since it last looked, and whether its
// chat has got a new name.
func (o *Outbox) takeWoken(q *chatQueue) (woken map[int64]struct{}, renamed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	woken, renamed = q.woken, q.renamed
	q.woken, q.renamed = map[int64]struct{}{}, false
	for to, old := range o.leaving {
		if old == q {
			delete(o.leaving, to)
			o.wake(to, 0)
		}
	}
	return woken, renamed
}

// isAwaited says whether a queue's chat is the new name of another, whose queue has not seen that
// yet: a call of it may be under way.
func (o *Outbox) isAwaited(q *chatQueue) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.leaving[q.chat] != nil && !q.renamed
}

// returnWoken has a queue look again at conversations that it has taken. Where its chat has got a
// new name meanwhile, their locations are asked for anyway.
func (o *Outbox) returnWoken(q *chatQueue, woken map[int64]struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !q.renamed {
		maps.Copy(q.woken, woken)
	}
}

// peekWoken are the conversations for which a queue was woken since it last looked.
func (o *Outbox) peekWoken(q *chatQueue) []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(q.woken))
}

// Reached is to be called when the channel answers again otherwise than by a call of this outbox.
// It never blocks.
func (o *Outbox) Reached() {
	o.health.noteAnswer()
	o.wakeWaiting(nil)
}

// wakeWaiting wakes the queues that wait because the channel did not answer them: it has answered
// this one.
func (o *Outbox) wakeWaiting(q *chatQueue) {
	waiting := o.health.inTrouble()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range waiting {
		if other := o.queues[t.Chat]; other != nil && other != q {
			signals.Send(other.wake)
		}
	}
}

// remove takes a queue out, unless it was woken since it last looked.
func (o *Outbox) remove(q *chatQueue) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(q.woken) > 0 || q.claim != (queueClaim{}) {
		return false
	}
	delete(o.queues, q.chat)
	o.health.forget(q.chat)
	maps.DeleteFunc(o.locations, func(_ int64, at location) bool { return at.ours && at.chat == q.chat })
	return true
}
