package host

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"mews/protocol"
)

// maxEvents bounds the events of one turn that wait while the supervisor does not read.
const maxEvents = 128

// Event shows the person what a tool does. It does not block. If the supervisor is slow, a newer progress replaces the older
// one of the same call. Beyond maxEvents the oldest progress is dropped, or else the oldest event.
func (t *Turn) Event(event protocol.TurnEvent) { t.events.put(event) }

// Close says that no event follows. Run returns when the events before it have left.
func (t *Turn) Close() { t.events.close() }

// Run sends the turn's events until Close, or until ctx or the connection ends.
func (t *Turn) Run(ctx context.Context) error {
	for {
		if err := t.flush(ctx); err != nil {
			return err
		}
		if t.events.drained() {
			return nil
		}
		select {
		case <-t.events.ready:
		case <-ctx.Done():
			return t.unsentError(context.Cause(ctx))
		}
	}
}

// flush sends the events that wait. When it returns, they and those that another goroutine was sending have left: what is
// sent next comes after all of them.
func (t *Turn) flush(ctx context.Context) error {
	select {
	case <-t.sending:
		defer func() { t.sending <- struct{}{} }()
	case <-ctx.Done():
		return t.unsentError(context.Cause(ctx))
	}
	for {
		event, found := t.events.pop()
		if !found {
			return nil
		}
		if err := t.host.conn.Notify(ctx, protocol.MethodTurnEvent, event); err != nil {
			return t.unsentError(err)
		}
	}
}

func (t *Turn) unsentError(err error) error {
	return fmt.Errorf("send the events of turn %d: %w", t.turn, err)
}

// eventQueue holds the events that wait. Its methods may be called from any goroutine.
type eventQueue struct {
	ready chan struct{} // holds one token when there may be something to take

	mu      sync.Mutex
	waiting []protocol.TurnEvent
	closed  bool
}

func newEventQueue() *eventQueue {
	return &eventQueue{ready: make(chan struct{}, 1)}
}

func (q *eventQueue) put(event protocol.TurnEvent) {
	q.update(func() {
		if event.Kind == protocol.ToolProgressed {
			q.waiting = slices.DeleteFunc(q.waiting, func(old protocol.TurnEvent) bool {
				return old.Kind == event.Kind && old.Call == event.Call
			})
		}
		if len(q.waiting) >= maxEvents {
			q.drop()
		}
		q.waiting = append(q.waiting, event)
	})
}

// drop makes room for one event. Only a change within update may call it.
func (q *eventQueue) drop() {
	oldest := max(0, slices.IndexFunc(q.waiting, func(e protocol.TurnEvent) bool {
		return e.Kind == protocol.ToolProgressed
	}))
	q.waiting = slices.Delete(q.waiting, oldest, oldest+1)
}

func (q *eventQueue) close() {
	q.update(func() { q.closed = true })
}

// update changes the queue and wakes Run.
func (q *eventQueue) update(change func()) {
	q.mu.Lock()
	change()
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// pop removes and returns the oldest event.
func (q *eventQueue) pop() (event protocol.TurnEvent, found bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return event, false
	}
	event = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return event, true
}

// drained says whether it is closed and empty.
func (q *eventQueue) drained() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}
