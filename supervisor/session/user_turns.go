package session

import (
	"context"
	"slices"
	"sync"
)

// userTurns is what one person's turns share: they run in one worker.
//
// A worker's death does not say which turn ended it where two ran in it. Such a death counts for
// neither, and from then on each of the two runs alone: a death in it is its own then.
type userTurns struct {
	mu      sync.Mutex // guards what follows, and the shared of every workerUse
	running map[*workerUse]bool
	waiting []*workerUse // in the order in which they came, so that nobody waits for ever
}

// workerUse is one attempt's use of the worker.
type workerUse struct {
	alone   bool          // it wants the worker for itself
	shared  bool          // another was in the worker at the same time
	started chan struct{} // closed when it may go ahead
}

func newUserTurns() *userTurns {
	return &userTurns{running: map[*workerUse]bool{}}
}

// acquire waits until an attempt may have the worker, with others or alone. An error is ctx's
// cause; without one, release has to follow.
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

// release ends a use or the wait for it, and says whether another was in the worker at the same
// time.
func (u *userTurns) release(use *workerUse) (shared bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.running, use)
	u.waiting = slices.DeleteFunc(u.waiting, func(w *workerUse) bool { return w == use })
	u.startWaiting()
	return use.shared
}

// startWaiting starts whoever may go ahead. The caller has the mutex.
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

// mayStart says whether a use may start beside those that run. The caller has the mutex.
func (u *userTurns) mayStart(use *workerUse) bool {
	for other := range u.running {
		if use.alone || other.alone {
			return false
		}
	}
	return true
}
