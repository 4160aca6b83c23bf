package session

import (
	"context"
	"slices"
	"sync"
)

// userTurns coordinates the turns of one user, which share a worker.
//
// If a worker dies while two turns run in it, the turn that caused the death is unknown. Such a
// death counts for neither turn. After it, each of the two turns runs alone, so that the next death
// has a clear cause.
type userTurns struct {
	mu      sync.Mutex // guards the fields below, and the field shared of every use
	running map[*workerUse]bool
	waiting []*workerUse // waiting uses in order of arrival
}

// workerUse is one attempt's use of the worker.
type workerUse struct {
	alone   bool          // whether the attempt must have the worker alone
	shared  bool          // whether another attempt was in the worker at the same time
	started chan struct{} // closed when the attempt may start
}

func newUserTurns() *userTurns {
	return &userTurns{running: map[*workerUse]bool{}}
}

// acquire waits until an attempt may use the worker, shared or alone. An error is ctx's cause.
// After success the caller must call release.
func (u *userTurns) acquire(ctx context.Context, alone bool) (*workerUse, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	use := &workerUse{alone: alone, started: make(chan struct{})}
	u.mu.Lock()
	u.waiting = append(u.waiting, use)
	u.startWaiting()
	u.mu.Unlock()
	select {
	case <-use.started:
		return use, nil
	case <-ctx.Done():
		u.release(use)
		return nil, context.Cause(ctx)
	}
}

// release ends a use, or the wait for it. shared reports whether another use was in the worker at
// the same time.
func (u *userTurns) release(use *workerUse) (shared bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.running, use)
	u.waiting = slices.DeleteFunc(u.waiting, func(w *workerUse) bool { return w == use })
	u.startWaiting()
	return use.shared
}

// startWaiting starts the waiting uses that may start now. The caller holds u.mu.
func (u *userTurns) startWaiting() {
	for len(u.waiting) > 0 && u.mayStart(u.waiting[0]) {
		use := u.waiting[0]
		u.waiting = u.waiting[1:]
		for other := range u.running {
			other.shared, use.shared = true, true
		}
		u.running[use] = true
		close(use.started)
	}
}

// mayStart reports whether a use may start while others run. The caller holds u.mu.
func (u *userTurns) mayStart(use *workerUse) bool {
	for other := range u.running {
		if use.alone || other.alone {
			return false
		}
	}
	return true
}
