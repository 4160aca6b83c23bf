package operation

import (
	"context"
	"time"

	"mews/protocol"
)

// DeleteOldBlobs deletes old committed blobs, as Run does regularly.
func (o *Operations[H]) DeleteOldBlobs(ctx context.Context) { o.sweep(ctx) }

// BackgroundQueueLength returns the number of operations that wait for a background slot.
func (o *Operations[H]) BackgroundQueueLength() int {
	return o.queues[queueBackground].CountWaiting()
}

// SetCheckTimeout sets the time limit of checks, until restore is called.
func SetCheckTimeout(most time.Duration) (restore func()) {
	usual := kinds[protocol.OperationKindCheck]
	bounded := usual
	bounded.bounds = func(string) (bounds, error) { return bounds{timeout: most}, nil }
	kinds[protocol.OperationKindCheck] = bounded
	return func() { kinds[protocol.OperationKindCheck] = usual }
}
