// Package rare says rarely what happens often.
package rare

import (
	"sync"
	"time"
)

// throttleInterval is the least time between two that are told of.
const throttleInterval = time.Minute

// Throttle counts what comes often, so that it is told of once a minute at most. The zero value is
// ready; it may be used from several goroutines.
type Throttle struct {
	mu     sync.Mutex // guards what follows
	n      int
	silent time.Time // until then nothing is told
}

// Count counts one more. It returns how many there were since it last returned that, and 0 while
// nothing is to be told.
func (t *Throttle) Count(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if now.Before(t.silent) {
		return 0
	}
	n := t.n
	t.n, t.silent = 0, now.Add(throttleInterval)
	return n
}
