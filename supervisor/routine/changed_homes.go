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
	byUser map[string]*changedHome // by person
}

// changedHome is a home that has changed since it was looked at.
type changedHome struct {
	first time.Time // the first of those changes; the zero time is none
	due   time.Time // when it is to be looked at; the zero time is that a look was begun
}

// markChanged says that a home has changed: it is looked at when it has been still for a while, or has not
// been for too long.
func (h *changedHomes) markChanged(user string, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.findOrAdd(user)
	if u.first.IsZero() || u.first.After(now) { // the clock was set back
		u.first = now
	}
	u.due = now.Add(settleTime)
	if latest := u.first.Add(maxSettleTime); latest.Before(u.due) {
		u.due = latest
	}
}

// checkAt has a home be looked at at a time, and not before for what has changed up to now.
func (h *changedHomes) checkAt(user string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*h.findOrAdd(user) = changedHome{due: at}
}

// findOrAdd is a home, which is added where it is not there. The caller has the mutex.
func (h *changedHomes) findOrAdd(user string) *changedHome {
	if h.byUser == nil {
		h.byUser = map[string]*changedHome{}
	}
	if h.byUser[user] == nil {
		h.byUser[user] = &changedHome{}
	}
	return h.byUser[user]
}

// takeIfSettled says whether a home may be looked at: it has not changed for a while, or does so all the
// time. If so, what changes from now on is for the next look.
func (h *changedHomes) takeIfSettled(user string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.byUser[user]
	if u == nil {
		return true
	}
	if u.due.After(now) {
		return false
	}
	delete(h.byUser, user)
	return true
}

// takeDue takes those that are to be looked at by now.
func (h *changedHomes) takeDue(now time.Time) (users []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for user, u := range h.byUser {
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
	delete(h.byUser, user)
}

// nextDue is when the next one is to be looked at, if one is.
func (h *changedHomes) nextDue() (nextDue time.Time, any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.byUser {
		if !u.due.IsZero() && (!any || u.due.Before(nextDue)) {
			nextDue, any = u.due, true
		}
	}
	return nextDue, any
}
