package operation

import (
	"context"
	"errors"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/retry"
)

// cancelTimeout is how long the end of a cancelled operation may take.
const cancelTimeout = 10 * time.Second

// RunOperation runs an operation and returns it after its end. The result ok is false if the
// operation could not begin, or if ctx has ended. If ctx was cancelled without a cause, the
// operation continues, and a later call finds it. If ctx ended for another cause, the operation
// ends too. The function meanwhile runs during the call, with a context that ends with the call;
// nil means no function.
func (o *Operations[H]) RunOperation(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context,
	id int64)) (supervisor.Operation, bool) {
	op, ok := retry.StoreUntilDone(ctx, o.o.Log, "begin an operation", func() (supervisor.Operation,
		error) {
		return o.Start(ctx, op)
	})
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
	op, ok = retry.StoreUntilDone(ctx, o.o.Log, "wait for an operation", func() (supervisor.Operation,
		error) {
		return o.Wait(ctx, id)
	})
	if !ok && !errors.Is(context.Cause(ctx), context.Canceled) {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer cancel()
		if err := o.Cancel(late, id, textUnwanted); err != nil {
			o.o.Log.Warn("could not end an unwanted operation", "operation", id, "error", err)
		}
	}
	return op, ok
}

// HasOperation says whether an operation for the same attachment exists. RunOperation would
// continue it.
func (o *Operations[H]) HasOperation(ctx context.Context, op supervisor.Operation) bool {
	begun, ok := retry.StoreUntilDone(ctx, o.o.Log, "find an operation", func() (bool, error) {
		_, there, err := o.o.Store.FindByAttachment(ctx, op)
		return there, err
	})
	return begun || !ok
}
