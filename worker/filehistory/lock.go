package filehistory

import (
	"context"
	"errors"
	"sync/atomic"
)

// errBusy means that another operation had the history for too long.
var errBusy = errors.New("the file history is busy")

// lock is a mutex. Unlike a sync.Mutex, it lets callers stop waiting, and knows whether any wait.
// Callers get it in the order in which they came.
type lock struct {
	slot    chan struct{} // full while somebody has the lock
	waiting atomic.Int32
}

func newLock() *lock { return &lock{slot: make(chan struct{}, 1)} }

// Lock waits for the lock.
func (l *lock) Lock() { _ = l.lockFor(context.Background()) }

// lockFor waits for the lock until ctx ends.
func (l *lock) lockFor(ctx context.Context) error {
	if l.TryLock() {
		return nil
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	select {
	case l.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TryLock takes the lock if it is free.
func (l *lock) TryLock() bool {
	select {
	case l.slot <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock gives the lock back.
func (l *lock) Unlock() { <-l.slot }

// hasWaiters reports whether anybody waits for the lock.
func (l *lock) hasWaiters() bool { return l.waiting.Load() > 0 }
