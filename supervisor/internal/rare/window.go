package rare

import (
	"sync"
	"time"
)

// Window limits the recorded things in each span of time, such as a day, so that a flood fills
// neither the memory nor a log. The zero value is ready. It may be used from several goroutines.
type Window struct {
	Length    time.Duration // length of a span; spans are counted from 1970 in UTC; 0 means a day
	MaxTotal  int           // limit of recorded things in a span; 0 means 10,000
	MaxPerKey int           // limit for one key; 0 means no limit of its own

	mu     sync.Mutex // guards the following fields
	number int64      // number of the current span since 1970
	noted  map[thing]bool
	count  map[string]int // number of recorded things by key
}

type thing struct {
	key string
	id  int64
}

// IsNew reports whether a key is new in its span. It is false after the span is full.
func (w *Window) IsNew(key string, now time.Time) bool {
	isNew, _ := w.note(thing{key: key}, now)
	return isNew
}

// Record reports whether a thing of a key is recorded in its span. A repeated thing gets the same
// answer, and counts once.
func (w *Window) Record(key string, id int64, now time.Time) bool {
	_, noted := w.note(thing{key, id}, now)
	return noted
}

func (w *Window) note(t thing, now time.Time) (isNew, noted bool) {
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

// enter begins a new span if now is after the current one. A late thing of an earlier span counts
// for the current one. The caller has the mutex.
func (w *Window) enter(now time.Time) {
	length := w.Length
	if length == 0 {
		length = 24 * time.Hour
	}
	number := now.Unix() / int64(length/time.Second)
	if w.noted == nil || number > w.number || number < w.number-1 {
		w.number, w.noted, w.count = number, map[thing]bool{}, map[string]int{}
	}
}

func (w *Window) limit() int {
	if w.MaxTotal == 0 {
		return 10_000
	}
	return w.MaxTotal
}
