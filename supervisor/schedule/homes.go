package schedule

import (
	"slices"
	"sync"
	"time"
)

// homes are whose home has changed, and when it is to be looked at. The zero value is ready. It may be used from several goroutines.
type homes struct {
	mu  sync.Mutex
	due map[string]time.Time // by person
}

// changed says that a home has changed: it is looked at when it has been still for a while.
func (h *homes) changed(user string, now time.Time) { h.put(user, now.Add(filesSettle)) }

func (h *homes) put(user string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.due == nil {
		h.due = map[string]time.Time{}
	}
	h.due[user] = at
}

// settled says whether a home has not changed for a while.
func (h *homes) settled(user string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.due[user].After(now)
}

// take takes those that are to be looked at by now.
func (h *homes) take(now time.Time) (users []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for user, at := range h.due {
		if !at.After(now) {
			users = append(users, user)
			delete(h.due, user)
		}
	}
	slices.Sort(users)
	return users
}

// next is when the next one is to be looked at, if one is.
func (h *homes) next() (next time.Time, any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.due {
		if !any || at.Before(next) {
			next, any = at, true
		}
	}
	return next, any
}
