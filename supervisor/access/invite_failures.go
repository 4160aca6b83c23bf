package access

import (
	"sync"
	"time"
)

// How many wrong codes are noted in an hour. A code has 128 bits and can't be guessed, so that every one is looked up, whoever
// sends it and whatever others have tried before; this is so that who tries does not keep the log busy. Of one sender: somebody
// mistypes a code once or twice. Of all: six of those.
const (
	maxFailuresOfSender = 5
	maxFailures         = 30
)

// InviteFailures counts the wrong codes of invites. The zero value is ready; it may be used from several goroutines, and remembers at
// most as many codes as are noted in an hour.
type InviteFailures struct {
	mu       sync.Mutex // guards what follows
	hour     int64      // since 1970
	total    int
	bySender map[int64]map[int64]bool // the updates with the codes that were noted, by sender
}

// Note counts the wrong code that came in an update of that sender's, and tells whether it is to be noted. An update that comes
// again, as where what came of it could not be kept, is counted once.
func (k *InviteFailures) Note(id, update int64, now time.Time) bool {
	const seconds = 60 * 60
	hour := now.Unix() / seconds
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bySender == nil || hour > k.hour || hour < k.hour-1 { // the hour before: a knock that came late
		k.hour, k.total, k.bySender = hour, 0, map[int64]map[int64]bool{}
	}
	switch {
	case k.bySender[id][update]:
		return true
	case len(k.bySender[id]) >= maxFailuresOfSender || k.total >= maxFailures:
		return false
	case k.bySender[id] == nil:
		k.bySender[id] = map[int64]bool{}
	}
	k.bySender[id][update] = true
	k.total++
	return true
}
