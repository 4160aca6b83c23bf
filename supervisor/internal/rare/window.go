package rare

import (
	"sync"
	"time"
)

// Window notes things in spans of time that follow one another, such as days, up to a number of
// them: a flood fills neither the memory nor a log. The zero value is ready. It may be used from
// several goroutines.
type Window struct {
	Length time.Duration // of each span, counted from 1970 in UTC; 0 is a day
	Most   int           // things that are noted in a span; 0 is 10,000
	Each   int           // likewise, of one key; 0 is no bound of its own

	mu     sync.Mutex // guards what follows
	number int64      // of the span, since 1970
	noted  map[thing]bool
	count  map[string]int // of each key
}

type thing struct {
	key string
	id  int64
}

// First says whether a key is met for the first time in its span. It is false once too many are
// noted.
func (w *Window) First(key string, now time.Time) bool {
	isNew, _ := w.note(thing{key: key}, now)
	return isNew
}

// Note says whether a thing of a key is noted in its span. What comes again is noted as it was the
// first time, and counted once.
func (w *Window) Note(key string, id int64, now time.Time) bool {
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
	case len(w.noted) >= w.most() || w.Each > 0 && w.count[t.key] >= w.Each:
		return false, false
	}
	w.noted[t] = true
	w.count[t.key]++
	return true, true
}

// enter begins another span, if now is in one. What comes late, of the span before, counts for this
// one. The caller has the mutex.
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

func (w *Window) most() int {
	if w.Most == 0 {
		return 10_000
	}
	return w.Most
}
