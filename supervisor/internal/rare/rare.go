// Package rare limits how often repeated events are reported.
package rare

import (
	"maps"
	"sync"
	"time"
)

// Throttle limits reports to one for each key in an interval. The zero value is ready, with an
// interval of a minute. It may be used from several goroutines. It remembers every key, so
// strangers must not choose keys.
type Throttle struct {
	Every time.Duration // interval between two reports of a key; 0 means a minute

	mu      sync.Mutex // guards the reports
	reports map[string]report
}

// report is the state of one key.
type report struct {
	at         time.Time // time of the last report
	unreported int       // number of events since the last report
}

// CountOccurrence counts an event of a key. If the event may be reported now, it returns the number
// of events since the last report. Otherwise it returns 0. If the clock was set back, every key may
// be reported again.
func (t *Throttle) CountOccurrence(key string, now time.Time) int {
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

// ShouldReport counts an event of a key, and reports whether the event may be reported now.
func (t *Throttle) ShouldReport(key string, now time.Time) bool {
	return t.CountOccurrence(key, now) > 0
}

// ForgetKeys drops the keys for which drop is true. Their next events are reported.
func (t *Throttle) ForgetKeys(drop func(key string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.reports, func(key string, _ report) bool { return drop(key) })
}
