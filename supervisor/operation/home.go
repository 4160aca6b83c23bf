package operation

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// IndexHomeNow indexes a user's home now, and waits for the end. If the user has no worker, it
// starts a one-shot worker. all is false if ctx ended before the whole home was indexed; the
// indexed part stays. An error may be temporary.
func (o *Operations[H]) IndexHomeNow(ctx context.Context, user string) (all bool, err error) {
	own, done, served := o.userWork.BeginWork(ctx, user, func() bool { return o.o.Serves == nil || o.o.Serves(user) })
	if !served {
		return false, nil
	}
	defer done()
	slot := o.request(kinds[protocol.OperationKindIndex].queue, supervisor.Operation{User: user, ID: firstIndex},
		math.MaxInt)
	defer slot.Release()
	if err := slot.Wait(own); err != nil {
		return false, ctxErr(ctx, err)
	}
	for more := true; more; {
		if more, err = o.indexNow(own, user); err != nil {
			return false, ctxErr(ctx, fmt.Errorf("index the home of %s: %w", user, err))
		}
	}
	return true, nil
}

// ctxErr returns err, or nil if ctx has reached its deadline.
func ctxErr(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// indexNow lets the user's worker index the home, or starts a worker.
func (o *Operations[H]) indexNow(ctx context.Context, user string) (more bool, err error) {
	if worker, there := o.o.Pool.Find(user); there {
		more, err := o.indexWith(ctx, user, worker)
		if !errors.Is(err, protocol.ErrClosed) { // the worker has just ended, so start another one
			return more, err
		}
	}
	spec, err := o.o.Spec(user, pool.ProfileCheck)
	if err != nil {
		return false, err
	}
	spec.Key = fmt.Sprintf("%s/%d", protocol.OperationKindIndex, o.homes.lastID.Add(1))
	worker, err := o.o.Pool.Acquire(ctx, spec)
	if err != nil {
		return false, err
	}
	if more, err = o.indexWith(ctx, user, worker); err != nil {
		return false, worker.ReleaseAndWait(err)
	}
	worker.Release() // a one-shot worker ends by itself
	return more, nil
}
