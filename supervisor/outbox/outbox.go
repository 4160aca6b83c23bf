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

// stopGrace is how much longer a call that is under way at the end may take.
const stopGrace = 5 * time.Second

// errStopping ends a call that took longer than stopGrace.
var errStopping = errors.New("mews stops")

// Outbox runs a chatQueue for each chat with work.
type Outbox struct {
	Options
	pings       signals.Pings
	gate        *gate
	health      *health
	cleaningDue chan struct{} // holds a token if there may be a new cleaning

	mu        sync.Mutex // guards the fields below, and the queues' fields whose comments say so
	locations map[int64]location
	// moves is the number of renames of chats. Results of reads before the last rename may be
	// wrong.
	moves    int
	toLocate map[int64]struct{}    // conversations whose chats are to be looked up
	queues   map[string]*chatQueue // queue of each chat, by the chat's name
	// leaving holds queues of renamed chats that have not noticed the rename yet, by the new name.
	leaving   map[string]*chatQueue
	unstarted []*chatQueue
	changed   chan struct{} // holds a token if toLocate or unstarted may hold something
}

// location is the chat of a conversation of this channel.
type location struct {
	ours bool   // whether the conversation is on this channel; once false, always false
	chat string // name of the chat, remembered as long as the chat has a queue
}

// Status is a snapshot of an outbox.
type Status struct {
	Chats []string // chats with work, sorted
	// Frozen is the time before which nothing is sent, by chat; "" means all chats.
	Frozen   map[string]time.Time
	Troubles []ChatTrouble // chats to which sending fails, sorted
	// Failing is why sending to all chats has failed for long, in words; "" means that it has not.
	Failing string
}

// New returns an outbox; call Run to start it.
func New(o Options) *Outbox {
	o.Limit, o.Log = cmp.Or(o.Limit, maxMessage), cmp.Or(o.Log, hclog.NewNullLogger())
	return &Outbox{
		Options:     o,
		pings:       signals.NewPings(),
		gate:        newGate(o.Name, o.Rates, o.Now),
		health:      &health{Options: o, troubles: map[string]ChatTrouble{}},
		locations:   map[int64]location{},
		toLocate:    map[int64]struct{}{},
		queues:      map[string]*chatQueue{},
		leaving:     map[string]*chatQueue{},
		changed:     make(chan struct{}, 1),
		cleaningDue: make(chan struct{}, 1),
	}
}

// NotifyChange tells the outbox of a changed reply or a new delivery. The conversation may be of
// any channel. It never blocks, and may be called before Run.
func (o *Outbox) NotifyChange(conversation int64) {
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

// NotifyChatMove tells the outbox a chat's new name. Another part of the service calls it if that
// part learns the new name first.
func (o *Outbox) NotifyChatMove(from, to string) {
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

// Status returns a snapshot of the outbox.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	chats := slices.Sorted(maps.Keys(o.queues))
	o.mu.Unlock()
	return Status{Chats: chats, Frozen: o.gate.currentFreezes(), Troubles: o.health.listTroubles(),
		Failing: o.health.alarm()}
}

// Run sends all stored and all new deliveries until ctx ends. After that no call begins, and a call
// under way has a few seconds to end. Run returns when every queue has ended.
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
		if !o.waitForWork(ctx, again.Sub(o.Now())) {
			break
		}
		again = o.locate(ctx)
	}
	defer time.AfterFunc(stopGrace, func() { cut(errStopping) }).Stop()
	running.Wait()
	return nil
}

// Ping returns once the loop of Run has answered, or with the cause of ctx's end.
func (o *Outbox) Ping(ctx context.Context) error { return o.pings.Ping(ctx) }

// waitForWork waits for a change, for the time d at most, and answers pings meanwhile. It returns
// false if ctx has ended.
func (o *Outbox) waitForWork(ctx context.Context, d time.Duration) bool {
	select {
	case <-o.changed:
	case <-o.pings:
	case <-time.After(min(d, maxSleep)):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// unlessEnded returns err, or the error of ctx if ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// start reads the stored freezes and conversations.
func (o *Outbox) start(ctx context.Context) error {
	if err := o.restoreFreezes(ctx); err != nil {
		return err
	}
	due, err := o.Deliveries.ListDueConversations(ctx, o.Name)
	if err != nil {
		return fmt.Errorf("find what is to be sent to %s: %w", o.Name, err)
	}
	for _, c := range due {
		o.setLocation(c.ID, c, 0)
	}
	return nil
}

// restoreFreezes puts the stored freezes in force. A second call changes nothing.
func (o *Outbox) restoreFreezes(ctx context.Context) error {
	frozen, err := o.Freezes.ListChatFreezes(ctx, o.Source)
	if err != nil {
		return fmt.Errorf("read the freezes of %s: %w", o.Name, err)
	}
	o.gate.restoreFreezes(frozen)
	return nil
}

// askLocation requests the location of a conversation. The caller holds o.mu.
func (o *Outbox) askLocation(conversation int64) {
	o.toLocate[conversation] = struct{}{}
	signals.SendToken(o.changed)
}

// locate looks up the requested locations. If the store fails, it returns when to try again.
func (o *Outbox) locate(ctx context.Context) (again time.Time) {
	o.mu.Lock()
	asked, moves := slices.Collect(maps.Keys(o.toLocate)), o.moves
	o.mu.Unlock()
	for _, id := range asked {
		c, _, err := o.Conversations.FindConversation(ctx, id)
		if err != nil {
			o.Log.Error("find a conversation", "conversation", id, "error", err)
			return o.Now().Add(time.Second)
		}
		o.setLocation(id, c, moves)
	}
	return never
}

// setLocation remembers the location of a conversation and wakes its queue. If a chat was renamed
// since the read, the location is looked up again. A missing conversation has no channel.
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

// wake tells a chat's queue to read a conversation again, and makes a missing queue. The caller
// holds o.mu.
func (o *Outbox) wake(chat string, conversation int64) {
	q := o.queues[chat]
	if q == nil {
		q = newChatQueue(o, chat)
		o.queues[chat] = q
		o.unstarted = append(o.unstarted, q)
		signals.SendToken(o.changed)
	}
	q.woken[conversation] = struct{}{}
	signals.SendToken(q.wake)
}

// takeUnstarted returns the queues to start, each queue once.
func (o *Outbox) takeUnstarted() []*chatQueue {
	o.mu.Lock()
	defer o.mu.Unlock()
	unstarted := o.unstarted
	o.unstarted = nil
	return unstarted
}

// takeWoken returns the conversations for which a queue was woken, each once. renamed reports
// whether the queue's chat was renamed.
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

// isAwaited reports whether a queue must wait for the queue of the chat's old name. That queue has
// not noticed the new name, and may have a call under way.
func (o *Outbox) isAwaited(q *chatQueue) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.leaving[q.chat] != nil && !q.renamed
}

// returnWoken gives back conversations that a queue has taken. If the queue's chat was renamed
// meanwhile, their locations are looked up anyway.
func (o *Outbox) returnWoken(q *chatQueue, woken map[int64]struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !q.renamed {
		maps.Copy(q.woken, woken)
	}
}

// peekWoken returns the conversations for which a queue was woken, without taking them.
func (o *Outbox) peekWoken(q *chatQueue) []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(q.woken))
}

// NotifyChannelReachable tells the outbox that the channel answers again. Another part of the
// service calls it if that part notices the answer first. It never blocks.
func (o *Outbox) NotifyChannelReachable() {
	o.health.noteAnswer()
	o.wakeWaiting(nil)
}

// wakeWaiting wakes the queues that wait for the channel, because it has answered this queue.
func (o *Outbox) wakeWaiting(q *chatQueue) {
	waiting := o.health.listTroubles()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range waiting {
		if other := o.queues[t.Chat]; other != nil && other != q {
			signals.SendToken(other.wake)
		}
	}
}

// remove removes a queue, unless it was woken meanwhile.
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
