// Package rare limits how often repeated things are reported.
package rare

import (
	"maps"
	"sync"
	"time"
)

// Throttle lets each key be reported once in an interval, with the number of occurrences. The zero
// value is ready, with a minute. It may be used from several goroutines. It remembers every key, so
// strangers must not choose keys.
type Throttle struct {
	Every time.Duration // 0 means a minute

	mu      sync.Mutex // guards the reports
	reports map[string]report
}

// report is the state of one key.
type report struct {
	at         time.Time // time of the last report
	unreported int       // occurrences since then that were not reported
}

// Count counts an occurrence. It returns the number since the last report, or 0 if it must not be
// reported now. If the clock was set back, everything is reported again.
func (t *Throttle) Count(key string, now time.Time) int {
	every := t.Every
	if every == 0 {
		every = time.Minute
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known := t.reports[key]
	if known && !now.Before(last.at) && now.Sub(last.at) < every {
		last.unreported++
		t.reports[key] = last
		return 0
	}
	if t.reports == nil {
		t.reports = map[string]report{}
	}
	t.reports[key] = report{at: now}
	return last.unreported + 1
}

// ShouldReport reports whether a thing is to be reported now.
func (t *Throttle) ShouldReport(key string, now time.Time) bool { return t.Count(key, now) > 0 }

// Forget drops things, so that each is reported at its next occurrence.
func (t *Throttle) Forget(drop func(key string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.reports, func(key string, _ report) bool { return drop(key) })
}
