package operation

import (
	"context"
	"time"

	"mews/protocol"
)

// Sweep deletes old committed blobs, as Run does regularly.
func (o *Operations[H]) Sweep(ctx context.Context) { o.sweep(ctx) }

// WaitingInBackground returns the number of operations that wait for a background slot.
func (o *Operations[H]) WaitingInBackground() int {
	return o.queues[queueBackground].Waiting()
}

// LimitCheckTime sets the time limit of checks, until restore is called.
func LimitCheckTime(most time.Duration) (restore func()) {
	usual := kinds[protocol.OperationCheck]
	bounded := usual
	bounded.bounds = func(string) (bounds, error) { return bounds{timeout: most}, nil }
	kinds[protocol.OperationCheck] = bounded
	return func() { kinds[protocol.OperationCheck] = usual }
}
