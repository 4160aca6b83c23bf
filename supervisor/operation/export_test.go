package operation

import (
	"context"
	"time"

	"mews/protocol"
)

// Sweep is what Run does from time to time.
func (o *Operations[H]) Sweep(ctx context.Context) { o.sweep(ctx) }

// WaitingInBackground is how many operations wait for a slot in the background.
func (o *Operations[H]) WaitingInBackground() int {
	return o.queues[queueBackground].Waiting()
}

// BoundLooks has looks take no longer than most, until restore.
func BoundLooks(most time.Duration) (restore func()) {
	usual := kinds[protocol.OperationCheck]
	bounded := usual
	bounded.bounds = func(string) (bounds, error) { return bounds{timeout: most}, nil }
	kinds[protocol.OperationCheck] = bounded
	return func() { kinds[protocol.OperationCheck] = usual }
}
