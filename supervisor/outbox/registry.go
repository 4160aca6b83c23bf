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

// lastCall is how long a call that is under way at the end may take to become known.
const lastCall = 5 * time.Second

// errLastCall ends a call that took longer.
var errLastCall = errors.New("mews stops")

// Outbox has a lane running for each chat that has something to do.
type Outbox struct {
	o      Options
	gate   *gate
	health *health
	dirty  chan struct{} // holds a token when there may be something new to clean

	mu      sync.Mutex // guards what follows
	known   map[int64]place
	moves   int                // chats that have got a new name: what was read before may be wrong
	asked   map[int64]struct{} // conversations whose place is to be found
	lanes   map[string]*lane   // by chat
	fresh   []*lane            // not yet started
	changed chan struct{}      // holds a token when asked or fresh may hold something
}

// place is where a conversation is.
type place struct {
	ours bool   // of this channel; where it is not, that is remembered for good
	chat string // remembered as long as the chat has a lane
}

// New makes an outbox; Run works it.
func New(o Options) *Outbox {
	o = o.withDefaults()
	box := &Outbox{
		o:       o,
		gate:    newGate(o.Rates, o.Now),
		known:   map[int64]place{},
		asked:   map[int64]struct{}{},
		lanes:   map[string]*lane{},
		changed: make(chan struct{}, 1),
		dirty:   make(chan struct{}, 1),
	}
	box.health = &health{Options: &box.o, troubles: map[string]Trouble{}}
	return box
}

// Changed is to be called when a reply has begun, grown or ended, and when there is a delivery, in any conversation of any
// channel. It never blocks, and may be called before Run.
func (o *Outbox) Changed(conversation int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at, ok := o.known[conversation]
	switch {
	case !ok:
		o.asked[conversation] = struct{}{}
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
	for id, at := range o.known {
		if at.ours && at.chat == from {
			delete(o.known, id)
			o.asked[id] = struct{}{}
		}
	}
	if l := o.lanes[from]; l != nil {
		clear(l.woken)
		l.left = true
	}
	o.wake(from, 0)
	o.wake(to, 0)
	signal(o.changed)
}

// Status tells what the outbox is about.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	lanes := slices.Sorted(maps.Keys(o.lanes))
	o.mu.Unlock()
	return Status{Lanes: lanes, Frozen: o.gate.freezes(), Troubles: o.health.inTrouble()}
}

// Run goes on with what an earlier life left, then works what is new until ctx ends. A call that is under way then gets a
// few seconds to become known; no other begins. Run returns when every lane has ended.
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
		for _, l := range o.begun() {
			running.Go(func() { l.run(ctx, hard) })
		}
		if !wait(ctx, o.changed, again.Sub(o.o.Now())) {
			break
		}
		again = o.find(ctx)
	}
	defer time.AfterFunc(lastCall, func() { cut(errLastCall) }).Stop()
	running.Wait()
	return nil
}

// start reads what is on disk.
func (o *Outbox) start(ctx context.Context) error {
	if err := o.thaw(ctx); err != nil {
		return err
	}
	due, err := o.o.Deliveries.Due(ctx, o.o.Name)
	if err != nil {
		return fmt.Errorf("find what is to be sent to %s: %w", o.o.Name, err)
	}
	for _, c := range due {
		o.settle(c.ID, c, 0)
	}
	return nil
}

// thaw puts the freezes of an earlier life in force, as far as they still last. To do it again changes nothing.
func (o *Outbox) thaw(ctx context.Context) error {
	frozen, err := o.o.Freezes.Frozen(ctx, o.o.Source)
	if err != nil {
		return fmt.Errorf("read the freezes of %s: %w", o.o.Name, err)
	}
	o.gate.restore(frozen)
	return nil
}

// find finds the places that are asked for. What the store can't tell now is asked for again, at the time that it returns.
func (o *Outbox) find(ctx context.Context) (again time.Time) {
	o.mu.Lock()
	asked, moves := slices.Collect(maps.Keys(o.asked)), o.moves
	o.mu.Unlock()
	for _, id := range asked {
		c, _, err := o.o.Conversations.Get(ctx, id)
		if err != nil {
			o.o.Log.Error("find a conversation", "conversation", id, "error", err)
			return o.o.Now().Add(time.Second)
		}
		o.settle(id, c, moves)
	}
	return never
}

// settle keeps where a conversation is, and wakes its lane; what was read before the last move is asked for again. One that
// is not there has no channel.
func (o *Outbox) settle(id int64, c supervisor.Conversation, moves int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if moves != o.moves {
		o.asked[id] = struct{}{}
		signal(o.changed)
		return
	}
	delete(o.asked, id)
	at := place{ours: c.Channel == o.o.Name, chat: c.Chat}
	o.known[id] = at
	if at.ours {
		o.wake(at.chat, id)
	}
}

// wake has a chat's lane look at a conversation; it is made where there is none. The caller has o.mu.
func (o *Outbox) wake(chat string, conversation int64) {
	l := o.lanes[chat]
	if l == nil {
		l = newLane(o, chat)
		o.lanes[chat] = l
		o.fresh = append(o.fresh, l)
		signal(o.changed)
	}
	l.woken[conversation] = struct{}{}
	signal(l.wake)
}

// begun are the lanes that are to be started.
func (o *Outbox) begun() []*lane {
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := o.fresh
	o.fresh = nil
	return fresh
}

// take is for whom a lane was woken since it last looked, and whether its chat has got a new name.
func (o *Outbox) take(l *lane) (woken map[int64]struct{}, left bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	woken, left = l.woken, l.left
	l.woken, l.left = map[int64]struct{}{}, false
	return woken, left
}

// restore has a lane look again at those for whom it was woken. Where its chat has got a new name meanwhile, they are asked
// for anew.
func (o *Outbox) restore(l *lane, woken map[int64]struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !l.left {
		maps.Copy(l.woken, woken)
	}
}

// peek is for whom a lane was woken since it last looked.
func (o *Outbox) peek(l *lane) []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(l.woken))
}

// heard has the lanes look up that wait because the channel did not answer them: it has answered this one.
func (o *Outbox) heard(l *lane) {
	waiting := o.health.inTrouble()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range waiting {
		if other := o.lanes[t.Chat]; other != nil && other != l {
			signal(other.wake)
		}
	}
}

// leave takes a lane out, unless it was woken since it last looked.
func (o *Outbox) leave(l *lane) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(l.woken) > 0 {
		return false
	}
	delete(o.lanes, l.chat)
	o.health.forget(l.chat)
	maps.DeleteFunc(o.known, func(_ int64, at place) bool { return at.ours && at.chat == l.chat })
	return true
}
