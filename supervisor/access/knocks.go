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
// remembers at most as many strangers as may try in an hour.
type Knocks struct {
	mu   sync.Mutex // guards what follows
	hour int64      // since 1970
	all  int
	of   map[int64]int
}

// Look tells whether a code of that id may be looked at, and counts it as a wrong one until Right takes that back.
func (k *Knocks) Look(id int64, now time.Time) bool {
	const seconds = 60 * 60
	hour := now.Unix() / seconds
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || hour > k.hour || hour < k.hour-1 { // the hour before: a knock that came late
		k.hour, k.all, k.of = hour, 0, map[int64]int{}
	}
	if k.of[id] >= maxKnocks || k.all >= maxAllKnocks {
		return false
	}
	k.of[id]++
	k.all++
	return true
}

// Right says that the code of that id which was last looked at was a right one.
func (k *Knocks) Right(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of[id] == 0 {
		return // the hour is another by now
	}
	k.of[id]--
	k.all--
}
