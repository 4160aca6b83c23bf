package access

import (
	"sync"
	"time"
)

// maxUnknownSenders is how many strangers are told apart in a day: whoever makes accounts by the thousand fills neither the
// memory nor the log.
const maxUnknownSenders = 10_000

// UnknownSenders remembers who has knocked. The zero value is ready; it may be used from several goroutines.
type UnknownSenders struct {
	mu   sync.Mutex // guards what follows
	day  int64      // since 1970, UTC
	seen map[int64]bool
}

// First tells whether this is the first knock of that id on the day of now, so that it is worth a line in the log. When
// there have been too many that day it is none.
func (s *UnknownSenders) First(id int64, now time.Time) bool {
	const seconds = 24 * 60 * 60
	day := now.Unix() / seconds
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil || day > s.day || day < s.day-1 { // the day before: a knock that came late, just after midnight
		s.day, s.seen = day, map[int64]bool{}
	}
	if s.seen[id] || len(s.seen) >= maxUnknownSenders {
		return false
	}
	s.seen[id] = true
	return true
}
