package rare

import (
	"sync"
	"time"
)

// RecordLimiter limits the number of recorded events in each span of time, such as a day. So a
// flood fills neither the memory nor a log. The zero value is ready. It may be used from several
// goroutines.
type RecordLimiter struct {
	Length    time.Duration // length of a span; 0 means a day; the first span begins at 1970-01-01 UTC
	MaxTotal  int           // greatest number of recorded events in a span; 0 means 10,000
	MaxPerKey int           // greatest number of recorded events of one key in a span; 0 means no limit for a key

	mu     sync.Mutex // guards the following fields
	number int64      // number of the current span since 1970
	noted  map[thing]bool
	count  map[string]int // number of recorded events, by key
}

type thing struct {
	key string
	id  int64
}

// IsNewKey records a key, and reports whether the key is new in the present span. If the span is
// full, it returns false.
func (w *RecordLimiter) IsNewKey(key string, now time.Time) bool {
	isNew, _ := w.note(thing{key: key}, now)
	return isNew
}

// MayRecord records an event of a key, and reports whether the limits allow that. A repeated event
// counts once, and gets the same answer.
func (w *RecordLimiter) MayRecord(key string, id int64, now time.Time) bool {
	_, noted := w.note(thing{key, id}, now)
	return noted
}

func (w *RecordLimiter) note(t thing, now time.Time) (isNew, noted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.enter(now)
	switch {
	case w.noted[t]:
		return false, true
	case len(w.noted) >= w.limit() || w.MaxPerKey > 0 && w.count[t.key] >= w.MaxPerKey:
		return false, false
	}
	w.noted[t] = true
	w.count[t.key]++
	return true, true
}

// enter begins a new span if now is after the current span. A late event of an earlier span counts
// for the current span. The caller has locked the mutex.
func (w *RecordLimiter) enter(now time.Time) {
	length := w.Length
	if length == 0 {
		length = 24 * time.Hour
	}
	number := now.Unix() / int64(length/time.Second)
	if w.noted == nil || number > w.number || number < w.number-1 {
		w.number, w.noted, w.count = number, map[thing]bool{}, map[string]int{}
	}
}

func (w *RecordLimiter) limit() int {
	if w.MaxTotal == 0 {
		return 10_000
	}
	return w.MaxTotal
}
