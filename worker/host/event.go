package host

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
)

// maxEvents is the most events of one turn that wait if the supervisor does not read.
const maxEvents = 128

// SendEvent queues an event of a tool for the user and never blocks. If the supervisor is slow,
// newer progress of a call replaces older progress. Beyond maxEvents, SendEvent drops the oldest
// progress, or the oldest event if no progress waits.
func (t *Turn) SendEvent(event protocol.TurnEvent) {
	t.updateEvents(func() {
		if event.Kind == protocol.EventToolProgress {
			t.waiting = slices.DeleteFunc(t.waiting, func(old protocol.TurnEvent) bool {
				return old.Kind == event.Kind && old.Call == event.Call
			})
		}
		if len(t.waiting) >= maxEvents {
			oldest := max(0, slices.IndexFunc(t.waiting, func(e protocol.TurnEvent) bool {
				return e.Kind == protocol.EventToolProgress
			}))
			t.waiting = slices.Delete(t.waiting, oldest, oldest+1)
		}
		t.waiting = append(t.waiting, event)
	})
}

// Close ends the events. Run returns once all earlier events are sent.
func (t *Turn) Close() { t.updateEvents(func() { t.closed = true }) }

// updateEvents changes the waiting events and wakes Run.
func (t *Turn) updateEvents(change func()) {
	t.mu.Lock()
	change()
	t.mu.Unlock()
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

// Run sends the events of the turn until Close, the end of ctx or the end of the connection.
func (t *Turn) Run(ctx context.Context) error {
	for {
		closed, err := t.flush(ctx)
		if closed || err != nil {
			return err
		}
		select {
		case <-t.ready:
		case <-ctx.Done():
			return t.unsentError(context.Cause(ctx))
		}
	}
}

// flush sends all waiting events, after the events that another goroutine is sending. Calls that
// are sent after flush has returned arrive after these events. closed means that no further event
// can come.
func (t *Turn) flush(ctx context.Context) (closed bool, err error) {
	select {
	case <-t.sending:
		defer func() { t.sending <- struct{}{} }()
	case <-ctx.Done():
		return false, t.unsentError(context.Cause(ctx))
	}
	for {
		event, found, closed := t.nextEvent()
		if !found {
			return closed, nil
		}
		if err := t.host.conn.Notify(ctx, protocol.MethodTurnEvent, event); err != nil {
			return false, t.unsentError(err)
		}
	}
}

// nextEvent removes and returns the oldest event.
func (t *Turn) nextEvent() (event protocol.TurnEvent, found, closed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return event, false, t.closed
	}
	event = t.waiting[0]
	t.waiting = slices.Delete(t.waiting, 0, 1)
	return event, true, false
}

func (t *Turn) unsentError(err error) error {
	return fmt.Errorf("send the events of turn %d: %w", t.turn, err)
}
