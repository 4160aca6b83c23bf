// Package rare says rarely what happens often.
package rare

import (
	"maps"
	"sync"
	"time"
)

// Throttle says each thing once in an interval, and then how often it happened. The zero value is
// ready, with a minute. It may be used from several goroutines. It remembers everything that it is
// asked about, so keys are not for strangers to choose.
type Throttle struct {
	Every time.Duration // 0 is a minute

	mu   sync.Mutex // guards said
	said map[string]said
}

// said is what a Throttle remembers of one thing.
type said struct {
	at   time.Time // when it was said last
	left int       // how often it was left out since
}

// Count counts that a thing happened once more. It returns how often it did since it was said last,
// and 0 if it is not to be said now. If the clock was set back, everything is said again.
func (t *Throttle) Count(key string, now time.Time) int {
	every := t.Every
	if every == 0 {
		every = time.Minute
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.said[key]
	if known && !now.Before(last.at) && now.Sub(last.at) < every {
		last.left++
		t.said[key] = last
		return 0
	}
	if t.said == nil {
		t.said = map[string]said{}
	}
	t.said[key] = said{at: now}
	return last.left + 1
}

// First says whether a thing is to be said now.
func (t *Throttle) First(key string, now time.Time) bool { return t.Count(key, now) > 0 }

// Forget drops things, so that each is said the next time that it happens.
func (t *Throttle) Forget(drop func(key string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.said, func(key string, _ said) bool { return drop(key) })
}
