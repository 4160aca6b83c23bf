package access

import (
	"sync"
	"time"
)

// How many wrong codes are noted in an hour, of one sender and of all. A code has 128 bits and
// can't be guessed, so every one is looked up, whoever sends it and whatever others have tried
// before; these bounds only keep the log quiet. Somebody mistypes a code once or twice; the second
// bound is six of those who do their worst.
const (
	maxFailuresOfSender = 5
	maxFailures         = 30
)

// InviteFailures counts the wrong codes of invites. The zero value is ready; it may be used from
// several goroutines, and remembers at most as many codes as are noted in an hour.
type InviteFailures struct {
	mu       sync.Mutex // guards what follows
	hour     int64      // since 1970
	total    int
	bySender map[string]map[int64]bool // the updates with the codes that were noted
}

// Note counts the wrong code that came in an update of a sender, and says whether it is to be noted
// in the log. An update that comes again, because what came of it could not be kept, is counted
// once.
func (f *InviteFailures) Note(sender string, update int64, now time.Time) bool {
	hour := now.Unix() / int64(time.Hour/time.Second)
	f.mu.Lock()
	defer f.mu.Unlock()
	// of the hour before: a code that came late
	if f.bySender == nil || hour > f.hour || hour < f.hour-1 {
		f.hour, f.total, f.bySender = hour, 0, map[string]map[int64]bool{}
	}
	switch updates := f.bySender[sender]; {
	case updates[update]:
		return true
	case len(updates) >= maxFailuresOfSender || f.total >= maxFailures:
		return false
	case updates == nil:
		f.bySender[sender] = map[int64]bool{}
	}
	f.bySender[sender][update] = true
	f.total++
	return true
}
