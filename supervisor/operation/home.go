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

// LookThroughHome has a person's home be looked through for the index as it is now, and waits for
// that. Where no worker runs, one is started for it, and ends with it. all is false where it was
// not done before ctx ended, or no slot was free till then; what it came to is kept. An error may
// pass.
func (o *Operations[H]) LookThroughHome(ctx context.Context, user string) (all bool, err error) {
	own, done, served := o.tasks.Begin(ctx, user, func() bool { return o.o.Serves == nil || o.o.Serves(user) })
	if !served {
		return false, nil
	}
	defer done()
	slot := o.request(kinds[protocol.OperationIndex].queue, supervisor.Operation{User: user, ID: firstIndex}, math.MaxInt)
	defer slot.Release()
	if err := slot.Wait(own); err != nil {
		return false, ctxErr(ctx, err)
	}
	for more := true; more; {
		if more, err = o.lookThroughNow(own, user); err != nil {
			return false, ctxErr(ctx, fmt.Errorf("look through the home of %s: %w", user, err))
		}
	}
	return true, nil
}

// ctxErr is an error, but for one of a context that has ended for time.
func ctxErr(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// lookThroughNow has the worker that runs do it, or one of its own.
func (o *Operations[H]) lookThroughNow(ctx context.Context, user string) (more bool, err error) {
	if worker, there := o.o.Pool.Find(user); there {
		more, err := o.lookThroughWith(ctx, user, worker)
		if !errors.Is(err, protocol.ErrClosed) { // else it has just ended
			return more, err
		}
	}
	spec, err := o.o.Spec(user, pool.ProfileLook)
	if err != nil {
		return false, err
	}
	spec.Key = fmt.Sprintf("%s/%d", protocol.OperationIndex, o.homes.last.Add(1))
	worker, err := o.o.Pool.Acquire(ctx, spec)
	if err != nil {
		return false, err
	}
	if more, err = o.lookThroughWith(ctx, user, worker); err != nil {
		return false, worker.End(err)
	}
	worker.Release() // it ends by itself
	return more, nil
}
