package session

import (
	"context"
	"sync"
)

// running is the door through which a turn is stopped from outside its session.
type running struct {
	mu      sync.Mutex
	cancel  context.CancelCauseFunc // nil between turns
	inbound int64                   // what the turn answers
	over    chan struct{}           // closed when the turn is finished
}

// begin opens the door to the turn of an inbound; the context ends when the turn is stopped.
func (r *running) begin(ctx context.Context, inbound int64) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel, r.inbound, r.over = cancel, inbound, make(chan struct{})
	return ctx
}

// end closes it.
func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel(nil)
	close(r.over)
	r.cancel = nil
}

// stop ends the running turn if what it answers came before an inbound. over is closed when its answer is in the outbox;
// nil when there is no such turn.
func (r *running) stop(before int64) (over <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil || r.inbound >= before {
		return nil
	}
	r.cancel(errStopped)
	return r.over
}
