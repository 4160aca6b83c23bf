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

// homes are the people whose homes may have changed.
type homes struct {
	last    atomic.Int64    // operations of this life
	changed map[string]bool // since the last look began
	running map[string]bool // who is looked through
}

// firstIndex is behind all operations that are kept. One that indexes a home is not: the next one
// finds all that it has not done.
const firstIndex = 1 << 62

// longestIndexPause is between two looks through a home that fail: a disk may stay full for days.
const longestIndexPause = 10 * time.Minute

// IndexHome has a person's home be looked through, if a worker of theirs runs: none is started for
// it, nor does one stay for it. While that is done it is noted, and done once more. It never
// blocks.
func (o *Operations[H]) IndexHome(user string) {
	o.mu.Lock()
	o.homes.changed[user] = true
	o.mu.Unlock()
	signals.Send(o.homesWoken)
}

// nextHome is somebody whose home is to be looked through now.
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

// leaveHome says that somebody's home is not looked through any more.
func (o *Operations[H]) leaveHome(user string, more bool) {
	o.mu.Lock()
	delete(o.homes.running, user)
	if more {
		o.homes.changed[user] = true
	}
	o.mu.Unlock()
	signals.Send(o.homesWoken)
}

// indexHomes looks through homes until ctx ends. What fails is done again, after a pause.
func (o *Operations[H]) indexHomes(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		user, ok := o.nextHome()
		own, done, served := o.tasks.Begin(ctx, user, func() bool { return ok && (o.o.Serves == nil || o.o.Serves(user)) })
		if served {
			running.Go(func() {
				var more bool
				var took time.Duration
				err := retry.Do(own, retry.UpTo(longestIndexPause), func() (err error) {
					more, took, err = o.indexHome(own, user)
					return err
				}, func(error) bool { return false }, func(err error, wait time.Duration) {
					o.o.Log.Warn("look through a home for the index", "user", user, "error", err, "again_in", wait)
				})
				retry.Wait(own, took) // others have the slot, and the processor, for as long
				done()
				o.leaveHome(user, more && err == nil)
			})
			continue
		}
		if ok {
			o.leaveHome(user, false)
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-o.homesWoken:
		}
	}
}

// indexHome has a person's worker look through their home once there is nothing else to do in the
// background. It says whether there is more to do, and how long it took.
func (o *Operations[H]) indexHome(ctx context.Context, user string) (more bool, took time.Duration, err error) {
	slot := o.request(kinds[protocol.OperationIndex].queue, supervisor.Operation{User: user, ID: firstIndex}, math.MaxInt)
	defer slot.Release()
	if err := slot.Wait(ctx); err != nil {
		return false, 0, err
	}
	began := o.o.Now()
	more, err = o.lookThrough(ctx, user)
	return more, o.o.Now().Sub(began), err
}

// lookThrough is the operation, where a worker of the person's runs. What a worker has come to that
// ends meanwhile is kept.
func (o *Operations[H]) lookThrough(ctx context.Context, user string) (more bool, err error) {
	worker, there := o.o.Pool.Find(user)
	if !there {
		return false, nil
	}
	more, err = o.lookThroughWith(ctx, user, worker)
	if errors.Is(err, protocol.ErrClosed) { // it has ended
		err = nil
	}
	return more, err
}

// lookThroughWith has a worker do it.
func (o *Operations[H]) lookThroughWith(ctx context.Context, user string, worker *pool.Worker[H]) (more bool, err error) {
	id := firstIndex + o.homes.last.Add(1)
	k := kinds[protocol.OperationIndex]
	parameters := "{}"
	bounds, err := k.bounds(parameters)
	if err != nil {
		return false, err
	}
	attempt := Attempt{ID: id, MaxBytes: bounds.maxBytes, MaxBlobs: bounds.maxBlobs, Index: true}
	if attempt.Spool, err = o.openFolder(id); err != nil {
		return false, err
	}
	defer o.Discard(id)
	defer attempt.Spool.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, bounds.timeout, errTimeout)
	defer cancel()
	worker.Host().BeginOperation(attempt)
	var end protocol.OperationEnd
	err = worker.Call(ctx, protocol.MethodOperationStart, protocol.OperationStart{Operation: id, Kind: protocol.OperationIndex,
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
