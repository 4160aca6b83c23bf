package telegram

import (
	"context"
	"errors"
	"time"
)

// waits records that the receiving loop waits for others, for the time d at most.
func (h *Health) waits(d time.Duration) {
	h.mu.Lock()
	h.waitsUntil = time.Now().Add(d)
	h.mu.Unlock()
	h.moves.Notify()
}

// works records that the receiving loop has stopped waiting.
func (h *Health) works() {
	h.mu.Lock()
	h.waitsUntil = time.Time{}
	h.mu.Unlock()
	h.moves.Notify()
}

// Ping returns once the receiving loop moves, or with the cause of ctx's end. A loop that waits for
// Telegram moves, but not longer than its calls may take. An error that is not the end of ctx is
// the connection's present problem.
func (h *Health) Ping(ctx context.Context) error {
	for {
		moved := h.moves.Wait()
		h.mu.Lock()
		waits, problem := time.Now().Before(h.waitsUntil), h.status.Error
		h.mu.Unlock()
		switch {
		case waits && problem != "":
			return errors.New(problem)
		case waits:
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
