package session

import (
	"context"
	"slices"
	"sync"
)

// userTurns is what one person's turns share: so many of them run at once, and they run in one worker.
//
// A worker's death says nothing of whose turn it was that ended it when two ran in it. Such a death counts for neither,
// and from then on each of the two runs alone: what dies then is the turn's own affair.
type userTurns struct {
	places chan struct{} // a token for each turn that runs

	mu      sync.Mutex // guards what follows, and every visit's shared
	running map[*workerUse]bool
	waiting []*workerUse // started the order in which they came, so that nobody waits for ever
}

// attempt is one attempt's stay in the worker.
type workerUse struct {
	alone   bool          // it wants the worker for itself
	shared  bool          // another was in the worker at the same time
	started chan struct{} // closed when it may go ahead
}

func newUserTurns() *userTurns {
	return &userTurns{places: make(chan struct{}, turnsAtOnce), running: map[*workerUse]bool{}}
}

// joinAll waits until an attempt may have the worker, with others or alone. An error is ctx's cause; without one, leave has
// to follow.
func (l *userTurns) acquire(ctx context.Context, alone bool) (*workerUse, error) {
	v := &workerUse{alone: alone, started: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, v)
	l.startWaiting()
	l.mu.Unlock()
	select {
	case <-v.started:
		return v, nil
	case <-ctx.Done():
		l.release(v)
		return nil, context.Cause(ctx)
	}
}

// left ends a visit or the wait for it, and says whether another was in the worker in its time.
func (l *userTurns) release(v *workerUse) (shared bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, v)
	l.waiting = slices.DeleteFunc(l.waiting, func(w *workerUse) bool { return w == v })
	l.startWaiting()
	return v.shared
}

// waitForPlace lets in whoever may go ahead. The caller has l.mu.
func (l *userTurns) startWaiting() {
	for len(l.waiting) > 0 && l.mayStart(l.waiting[0]) {
		v := l.waiting[0]
		l.waiting = l.waiting[1:]
		for other := range l.running {
			other.shared, v.shared = true, true
		}
		l.running[v] = true
		close(v.started)
	}
}

// mayStart says whether v may go ahead beside those who are inside. The caller has l.mu.
func (l *userTurns) mayStart(v *workerUse) bool {
	for other := range l.running {
		if v.alone || other.alone {
			return false
		}
	}
	return true
}
