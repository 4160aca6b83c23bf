package operation

import "context"

// Sweep is what Run does from time to time.
func (o *Operations[H]) Sweep(ctx context.Context) { o.sweep(ctx) }

// WaitingInBackground is how many operations wait for a place in the background.
func (o *Operations[H]) WaitingInBackground() int {
	q := o.queues[queueBackground]
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
