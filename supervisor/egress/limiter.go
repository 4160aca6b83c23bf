package egress

import (
	"fmt"
	"sync"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
)

// Limits of how much is fetched.
const (
	maxAtOnce       = 16 // fetches at once, of all users
	maxAtOnceOfUser = 4
	maxOfTurn       = 30
	maxInHour       = 300            // fetches of one user in any 60 minutes
	keepTurn        = 24 * time.Hour // time after its last fetch when a turn's count is dropped
)

// limiter counts fetches of users and turns. Its methods may be called from any goroutine.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex             // guards the following fields
	fetches map[string][]time.Time // times of each user's fetches within an hour, the oldest first
	turns   map[int64]turnCount
	swept   time.Time
}

// turnCount is the number of a turn's fetches.
type turnCount struct {
	fetches int
	last    time.Time
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, fetches: map[string][]time.Time{}, turns: map[int64]turnCount{}}
}

// count counts one fetch, or returns an error if the turn or the user has fetched enough. A refused
// fetch does not count. Turn 0 means no turn.
func (l *limiter) count(user string, turn int64, target string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.sweep(now)
	times := withoutOld(l.fetches[user], now)
	t := l.turns[turn]
	switch {
	case turn != 0 && t.fetches >= maxOfTurn:
		return faultTurn.failure(target, false)
	case len(times) >= maxInHour:
		wait := time.Hour - now.Sub(times[0])
		minutes := amount.Plural(int(wait/time.Minute)+1, "minute", "minutes")
		hour := fault{KindLimit, supervisor.CodeUnavailable, fmt.Sprintf(textHour, minutes)}
		return hour.failure(target, false)
	}
	l.fetches[user] = append(times, now)
	if turn != 0 {
		l.turns[turn] = turnCount{t.fetches + 1, now}
	}
	return nil
}

// sweep drops the counts of users and turns that have long fetched nothing. The caller has locked
// the mutex.
func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Hour {
		return
	}
	l.swept = now
	for turn, t := range l.turns {
		if now.Sub(t.last) >= keepTurn {
			delete(l.turns, turn)
		}
	}
	for user, times := range l.fetches {
		if len(withoutOld(times, now)) == 0 {
			delete(l.fetches, user)
		}
	}
}

// withoutOld returns the times that are less than an hour ago.
func withoutOld(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= time.Hour {
		times = times[1:]
	}
	return times
}
