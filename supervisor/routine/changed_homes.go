package routine

import (
	"slices"
	"sync"
	"time"
)

// changedHomes are whose home has changed, and when it is to be looked at. The zero value is ready.
// It may be used from several goroutines.
type changedHomes struct {
	mu sync.Mutex
	of map[string]*unsettled // by person
}

// unsettled is a home that has changed since it was looked at.
type unsettled struct {
	first time.Time // the first of those changes; the zero time is none
	due   time.Time // when it is to be looked at; the zero time is that a look was begun
}

// note says that a home has changed: it is looked at when it has been still for a while, or has not
// been for too long.
func (h *changedHomes) note(user string, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.find(user)
	if u.first.IsZero() || u.first.After(now) { // the clock was set back
		u.first = now
	}
	u.due = now.Add(filesSettle)
	if latest := u.first.Add(neverSettles); latest.Before(u.due) {
		u.due = latest
	}
}

// put has a home be looked at at a time, and not before for what has changed up to now.
func (h *changedHomes) put(user string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*h.find(user) = unsettled{due: at}
}

// find is a home, which is added where it is not there. The caller has the mutex.
func (h *changedHomes) find(user string) *unsettled {
	if h.of == nil {
		h.of = map[string]*unsettled{}
	}
	if h.of[user] == nil {
		h.of[user] = &unsettled{}
	}
	return h.of[user]
}

// settled says whether a home may be looked at: it has not changed for a while, or does so all the
// time. If so, what changes from now on is for the next look.
func (h *changedHomes) settled(user string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.of[user]
	if u == nil {
		return true
	}
	if u.due.After(now) {
		return false
	}
	delete(h.of, user)
	return true
}

// take takes those that are to be looked at by now.
func (h *changedHomes) take(now time.Time) (users []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for user, u := range h.of {
		if !u.due.IsZero() && !u.due.After(now) {
			users = append(users, user)
			u.due = time.Time{}
		}
	}
	slices.Sort(users)
	return users
}

// forget has a home be as if it had not changed.
func (h *changedHomes) forget(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, user)
}

// next is when the next one is to be looked at, if one is.
func (h *changedHomes) next() (next time.Time, any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.of {
		if !u.due.IsZero() && (!any || u.due.Before(next)) {
			next, any = u.due, true
		}
	}
	return next, any
}
