package access

import (
	"sync"
	"time"
)

// How many codes of strangers are looked at in an hour. A code has 128 bits and can't be guessed; this is so that who tries
// keeps neither the database nor the log busy. Of one stranger: somebody mistypes a code once or twice. Of all: six of those.
const (
	maxKnocks    = 5
	maxAllKnocks = 30
)

// Knocks counts the invites' codes that strangers try. The zero value is ready; it may be used from several goroutines, and
// remembers at most as many codes as may be tried in an hour.
type Knocks struct {
	mu   sync.Mutex // guards what follows
	hour int64      // since 1970
	all  int
	of   map[int64]map[int64]bool // the updates with the codes that were looked at, by stranger
}

// Look tells whether the code that came in an update of that id's may be looked at, and counts it as a wrong one until Right
// takes that back. An update that comes again, as where what came of it could not be kept, is counted once.
func (k *Knocks) Look(id, update int64, now time.Time) bool {
	const seconds = 60 * 60
	hour := now.Unix() / seconds
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || hour > k.hour || hour < k.hour-1 { // the hour before: a knock that came late
		k.hour, k.all, k.of = hour, 0, map[int64]map[int64]bool{}
	}
	switch {
	case k.of[id][update]:
		return true
	case len(k.of[id]) >= maxKnocks || k.all >= maxAllKnocks:
		return false
	case k.of[id] == nil:
		k.of[id] = map[int64]bool{}
	}
	k.of[id][update] = true
	k.all++
	return true
}

// Right says that the code in that update was a right one. To say it again changes nothing.
func (k *Knocks) Right(id, update int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.of[id][update] {
		return // the hour is another by now
	}
	delete(k.of[id], update)
	k.all--
}
