package operation

import (
	"context"
	"errors"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// cancelTimeout is how long it may take to end an operation that is not wanted any more.
const cancelTimeout = 10 * time.Second

// Do has an operation done, and gives it as it has ended. It is not ok where it could not be begun
// or ctx has ended. The operation ends with ctx, unless ctx was cancelled for no cause of its own:
// then whoever begins it again finds it, as it went on. meanwhile, where it is not nil, runs until
// then, and ends with its context.
func (o *Operations[H]) Do(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context, id int64)) (supervisor.Operation, bool) {
	op, ok := retry.Persist(ctx, o.o.Log, "begin an operation", func() (supervisor.Operation, error) { return o.Start(ctx, op) })
	if !ok {
		return op, false
	}
	id := op.ID
	if meanwhile != nil {
		during, end := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer end()
		running.Go(func() { meanwhile(during, id) })
	}
	op, ok = retry.Persist(ctx, o.o.Log, "wait for an operation", func() (supervisor.Operation, error) { return o.Wait(ctx, id) })
	if !ok && !errors.Is(context.Cause(ctx), context.Canceled) {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer cancel()
		if err := o.Cancel(late, id, textDropped); err != nil {
			o.o.Log.Warn("end an operation that is not wanted any more", "operation", id, "error", err)
		}
	}
	return op, ok
}

// Begun says whether Do would find an operation that is there already, for the same attachment.
func (o *Operations[H]) Begun(ctx context.Context, op supervisor.Operation) bool {
	begun, ok := retry.Persist(ctx, o.o.Log, "look for an operation", func() (bool, error) {
		_, there, err := o.o.Store.FindOf(ctx, op)
		return there, err
	})
	return begun || !ok
}
