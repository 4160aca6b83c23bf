package outbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mews/supervisor"
)

// stopGrace is how long a call that is under way at the end may take to become known.
const stopGrace = 5 * time.Second

// errStopping ends a call that took longer.
var errStopping = errors.New("mews stops")

// Outbox has a queue running for each chat that has something to do.
type Outbox struct {
	o           Options
	gate        *gate
	health      *health
	cleaningDue chan struct{} // holds a token when there may be something new to clean

	mu        sync.Mutex // guards what follows
	locations map[int64]location
	moves     int                   // chats that have got a new name: what was read before may be wrong
	toLocate  map[int64]struct{}    // conversations whose place is to be found
	queues    map[string]*chatQueue // by chat
	unstarted []*chatQueue          // not yet started
	changed   chan struct{}         // holds a token when asked or fresh may hold something
}

// location is where a conversation is.
type location struct {
	ours bool   // of this channel; where it is not, that is remembered for good
	chat string // remembered as long as the chat has a queue
}

// New makes an outbox; Run works it.
func New(o Options) *Outbox {
	o = o.withDefaults()
	box := &Outbox{
		o:           o,
		gate:        newGate(o.Rates, o.Now),
		locations:   map[int64]location{},
		toLocate:    map[int64]struct{}{},
		queues:      map[string]*chatQueue{},
		changed:     make(chan struct{}, 1),
		cleaningDue: make(chan struct{}, 1),
	}
	box.health = &health{Options: &box.o, troubles: map[string]Trouble{}}
	return box
}

// Changed is to be called when a reply has begun, grown or ended, and when there is a delivery, in any conversation of any
// channel. It never blocks, and may be called before Run.
func (o *Outbox) Changed(conversation int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, ok := o.locations[conversation]
	switch {
	case !ok:
		o.toLocate[conversation] = struct{}{}
		signal(o.changed)
	case at.ours:
		o.wake(at.chat, conversation)
	}
}

// Moved is to be called when a chat has got a new name by other ways than a call of this outbox.
func (o *Outbox) Moved(from, to string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moves++
	for id, at := range o.locations {
		if at.ours && at.chat == from {
			delete(o.locations, id)
			o.toLocate[id] = struct{}{}
		}
	}
	if q := o.queues[from]; q != nil {
		clear(q.woken)
		q.renamed = true
	}
	o.wake(from, 0)
	o.wake(to, 0)
	signal(o.changed)
}

// Status tells what the outbox is about.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	lanes := slices.Sorted(maps.Keys(o.queues))
	o.mu.Unlock()
	return Status{Chats: lanes, Frozen: o.gate.currentFreezes(), Troubles: o.health.inTrouble()}
}

// Run goes on with what an earlier life left, then works what is new until ctx ends. A call that is under way then gets a
// few seconds to become known; no other begins. Run returns when every queue has ended.
func (o *Outbox) Run(ctx context.Context) error {
	if err := o.start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	hard, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var running sync.WaitGroup
	for again := never; ; {
		for _, q := range o.takeUnstarted() {
			running.Go(func() { q.run(ctx, hard) })
		}
		if !wait(ctx, o.changed, again.Sub(o.o.Now())) {
			break
		}
		again = o.locate(ctx)
	}
	defer time.AfterFunc(stopGrace, func() { cut(errStopping) }).Stop()
	running.Wait()
	return nil
}

// start reads what is on disk.
func (o *Outbox) start(ctx context.Context) error {
	if err := o.restoreFreezes(ctx); err != nil {
		return err
	}
	due, err := o.o.Deliveries.Due(ctx, o.o.Name)
	if err != nil {
		return fmt.Errorf("find what is to be sent to %s: %w", o.o.Name, err)
	}
	for _, c := range due {
		o.setLocation(c.ID, c, 0)
	}
	return nil
}

// restoreFreezes puts the freezes of an earlier life in force, as far as they still last. To do it again changes nothing.
func (o *Outbox) restoreFreezes(ctx context.Context) error {
	frozen, err := o.o.Freezes.Frozen(ctx, o.o.Source)
	if err != nil {
		return fmt.Errorf("read the freezes of %s: %w", o.o.Name, err)
	}
	o.gate.restoreFreezes(frozen)
	return nil
}

// locate finds the places that are asked for. What the store can't tell now is asked for again, at the time that it returns.
func (o *Outbox) locate(ctx context.Context) (again time.Time) {
	o.mu.Lock()
	asked, moves := slices.Collect(maps.Keys(o.toLocate)), o.moves
	o.mu.Unlock()
	for _, id := range asked {
		c, _, err := o.o.Conversations.Get(ctx, id)
		if err != nil {
			o.o.Log.Error("find a conversation", "conversation", id, "error", err)
			return o.o.Now().Add(time.Second)
		}
		o.setLocation(id, c, moves)
	}
	return never
}

// setLocation keeps where a conversation is, and wakes its queue; what was read before the last move is asked for again. One that
// is not there has no channel.
func (o *Outbox) setLocation(id int64, c supervisor.Conversation, moves int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if moves != o.moves {
		o.toLocate[id] = struct{}{}
		signal(o.changed)
		return
	}
	delete(o.toLocate, id)
	at := location{ours: c.Channel == o.o.Name, chat: c.Chat}
	o.locations[id] = at
	if at.ours {
		o.wake(at.chat, id)
	}
}

// wake has a chat's queue look at a conversation; it is made where there is none. The caller has o.mu.
func (o *Outbox) wake(chat string, conversation int64) {
	q := o.queues[chat]
	if q == nil {
		q = newChatQueue(o, chat)
		o.queues[chat] = q
		o.unstarted = append(o.unstarted, q)
		signal(o.changed)
	}
	q.woken[conversation] = struct{}{}
	signal(q.wake)
}

// takeUnstarted are the lanes that are to be started.
func (o *Outbox) takeUnstarted() []*chatQueue {
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := o.unstarted
	o.unstarted = nil
	return fresh
}

// takeWoken is for whom a queue was woken since it last looked, and whether its chat has got a new name.
func (o *Outbox) takeWoken(q *chatQueue) (woken map[int64]struct{}, left bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	woken, left = q.woken, q.renamed
	q.woken, q.renamed = map[int64]struct{}{}, false
	return woken, left
}

// returnWoken has a queue look again at those for whom it was woken. Where its chat has got a new name meanwhile, they are asked
// for anew.
func (o *Outbox) returnWoken(q *chatQueue, woken map[int64]struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !q.renamed {
		maps.Copy(q.woken, woken)
	}
}

// peekWoken is for whom a queue was woken since it last looked.
func (o *Outbox) peekWoken(q *chatQueue) []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(q.woken))
}

// wakeWaiting has the lanes look up that wait because the channel did not answer them: it has answered this one.
func (o *Outbox) wakeWaiting(q *chatQueue) {
	waiting := o.health.inTrouble()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range waiting {
		if other := o.queues[t.Chat]; other != nil && other != q {
			signal(other.wake)
		}
	}
}

// remove takes a queue out, unless it was woken since it last looked.
func (o *Outbox) remove(q *chatQueue) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(q.woken) > 0 {
		return false
	}
	delete(o.queues, q.chat)
	o.health.forget(q.chat)
	maps.DeleteFunc(o.locations, func(_ int64, at location) bool { return at.ours && at.chat == q.chat })
	return true
}
