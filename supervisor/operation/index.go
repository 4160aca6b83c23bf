package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/pool"
)

// homes are the users with homes that may need a new index.
type homes struct {
	lastID  atomic.Int64    // number of index operations since the start
	changed map[string]bool // users whose homes have changed since their last indexing began
	running map[string]bool // users whose homes are being indexed
}

// firstIndex is greater than the id of every stored operation. Operations that index a home are not
// stored, because the next operation indexes the rest.
const firstIndex = 1 << 62

// longestIndexPause is the longest pause after failed attempts to index, because a disk may stay
// full for days.
const longestIndexPause = 10 * time.Minute

// IndexHome asks the user's running worker to index the home. It starts no worker, and does not
// keep a worker running. If the home is being indexed, it will be indexed once more. IndexHome
// never blocks.
func (o *Operations[H]) IndexHome(user string) {
	o.mu.Lock()
	o.homes.changed[user] = true
	o.mu.Unlock()
	signals.SendToken(o.homesWoken)
}

// nextHome returns a user whose home must be indexed now.
func (o *Operations[H]) nextHome() (user string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for user = range o.homes.changed {
		if !o.homes.running[user] {
			delete(o.homes.changed, user)
			o.homes.running[user] = true
			return user, true
		}
	}
	return "", false
}

// finishHome marks a user's home as not being indexed. If more is true, the home must be indexed
// again.
func (o *Operations[H]) finishHome(user string, more bool) {
	o.mu.Lock()
	delete(o.homes.running, user)
	if more {
		o.homes.changed[user] = true
	}
	o.mu.Unlock()
	signals.SendToken(o.homesWoken)
}

// indexHomes indexes changed homes until ctx ends. After a failure it pauses and tries again.
func (o *Operations[H]) indexHomes(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		user, ok := o.nextHome()
		own, done, served := o.userWork.BeginWork(ctx, user, func() bool {
			return ok && (o.o.Serves == nil ||
				o.o.Serves(user))
		})
		if served {
			running.Go(func() {
				var more bool
				var took time.Duration
				err := retry.UntilDone(own, retry.PausesUpTo(longestIndexPause), func() (err error) {
					more, took, err = o.indexHome(own, user)
					return err
				}, func(error) bool { return false }, func(err error, wait time.Duration) {
					o.o.Log.Warn("could not index a home", "user", user, "error", err, "again_in", wait)
				})
				retry.Sleep(own, took) // pauses as long as the indexing took, to give other work the slot and processor
				done()
				o.finishHome(user, more && err == nil)
			})
			continue
		}
		if ok {
			o.finishHome(user, false)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-o.homesWoken:
		}
	}
}

// indexHome waits for a background slot and lets the user's worker index the home. The result more
// says whether files are left to index. The result took is the duration of the indexing.
func (o *Operations[H]) indexHome(ctx context.Context, user string) (more bool, took time.Duration, err error) {
	slot := o.request(kinds[protocol.OperationKindIndex].queue, supervisor.Operation{User: user, ID: firstIndex},
		math.MaxInt)
	defer slot.Release()
	if err := slot.Wait(ctx); err != nil {
		return false, 0, err
	}
	began := o.o.Now()
	more, err = o.indexIfRunning(ctx, user)
	return more, o.o.Now().Sub(began), err
}

// indexIfRunning lets the user's worker index the home, if the worker runs. If the worker ends
// meanwhile, the indexed part stays.
func (o *Operations[H]) indexIfRunning(ctx context.Context, user string) (more bool, err error) {
	worker, there := o.o.Pool.Find(user)
	if !there {
		return false, nil
	}
	more, err = o.indexWith(ctx, user, worker)
	if errors.Is(err, protocol.ErrClosed) { // the worker has ended
		err = nil
	}
	return more, err
}

// indexWith lets a given worker index the user's home.
func (o *Operations[H]) indexWith(ctx context.Context, user string, worker *pool.Worker[H]) (more bool, err error) {
	id := firstIndex + o.homes.lastID.Add(1)
	k := kinds[protocol.OperationKindIndex]
	parameters := "{}"
	bounds, err := k.bounds(parameters)
	if err != nil {
		return false, err
	}
	attempt := Attempt{ID: id, MaxBytes: bounds.maxBytes, MaxBlobs: bounds.maxBlobs, Index: true}
	if attempt.Spool, err = o.openFolder(id); err != nil {
		return false, err
	}
	defer o.DeleteBlobs(id)
	defer attempt.Spool.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, bounds.timeout, errTimeout)
	defer cancel()
	worker.Host().BeginOperation(attempt)
	var end protocol.OperationEnd
	err = worker.Call(ctx, protocol.MethodOperationStart, protocol.OperationStart{Operation: id,
		Kind:       protocol.OperationKindIndex,
		Parameters: json.RawMessage(parameters)}, &end)
	committed := worker.Host().EndOperation(id)
	if err != nil {
		if errors.Is(context.Cause(ctx), errTimeout) {
			worker.Kill(errTimeout)
		}
		return false, err
	}
	if err := k.check(parameters, end.Result, committed); err != nil {
		o.o.Audit(user, "worker.offence", fmt.Sprintf("the result of operation %d: %v", id, err))
		worker.Kill(err)
		return false, err
	}
	var result protocol.IndexResult
	err = json.Unmarshal(end.Result, &result)
	return result.More, err
}
