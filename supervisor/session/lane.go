package session

import (
	"context"
	"slices"
	"sync"
)

// lane is what one person's turns share: so many of them run at once, and they run in one worker.
//
// A worker's death says nothing of whose turn it was that ended it when two ran in it. Such a death counts for neither,
// and from then on each of the two runs alone: what dies then is the turn's own affair.
type lane struct {
	places chan struct{} // a token for each turn that runs

	mu      sync.Mutex // guards what follows, and every visit's shared
	inside  map[*visit]bool
	waiting []*visit // in the order in which they came, so that nobody waits for ever
}

// visit is one attempt's stay in the worker.
type visit struct {
	alone  bool          // it wants the worker for itself
	shared bool          // another was in the worker at the same time
	in     chan struct{} // closed when it may go ahead
}

func newLane() *lane {
	return &lane{places: make(chan struct{}, turnsAtOnce), inside: map[*visit]bool{}}
}

// enter waits until an attempt may have the worker, with others or alone. An error is ctx's cause; without one, leave has
// to follow.
func (l *lane) enter(ctx context.Context, alone bool) (*visit, error) {
	v := &visit{alone: alone, in: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, v)
	l.admit()
	l.mu.Unlock()
	select {
	case <-v.in:
		return v, nil
	case <-ctx.Done():
		l.leave(v)
		return nil, context.Cause(ctx)
	}
}

// leave ends a visit or the wait for it, and says whether another was in the worker in its time.
func (l *lane) leave(v *visit) (shared bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.inside, v)
	l.waiting = slices.DeleteFunc(l.waiting, func(w *visit) bool { return w == v })
	l.admit()
	return v.shared
}

// admit lets in whoever may go ahead. The caller has l.mu.
func (l *lane) admit() {
	for len(l.waiting) > 0 && l.free(l.waiting[0]) {
		v := l.waiting[0]
		l.waiting = l.waiting[1:]
		for other := range l.inside {
			other.shared, v.shared = true, true
		}
		l.inside[v] = true
		close(v.in)
	}
}

// free says whether v may go ahead beside those who are inside. The caller has l.mu.
func (l *lane) free(v *visit) bool {
	for other := range l.inside {
		if v.alone || other.alone {
			return false
		}
	}
	return true
}
