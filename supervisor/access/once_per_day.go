package access

import (
	"sync"
	"time"
)

// maxPerDay is how many of them are told apart in a day, so that somebody with thousands of
// accounts fills neither the memory nor the log.
const maxPerDay = 10_000

// OncePerDay remembers who or what has come today. The zero value is ready; it may be used from
// several goroutines.
type OncePerDay struct {
	mu   sync.Mutex // guards what follows
	day  int64      // since 1970, UTC
	seen map[string]bool
}

// First says whether now is the first time on its day that this one came, so that it is worth a
// line in the log. When too many have come that day it is false.
func (s *OncePerDay) First(one string, now time.Time) bool {
	day := now.Unix() / int64(24*time.Hour/time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	// of the day before: something that came late, just after midnight
	if s.seen == nil || day > s.day || day < s.day-1 {
		s.day, s.seen = day, map[string]bool{}
	}
	if s.seen[one] || len(s.seen) >= maxPerDay {
		return false
	}
	s.seen[one] = true
	return true
}
