package routine

import (
	"slices"
	"sync"
	"time"
)

// changedHomes records which homes have changed and when to check each home. The zero value is
// ready. It is safe for concurrent use.
type changedHomes struct {
	mu     sync.Mutex
	byUser map[string]*changedHome // the changed homes, by user
}

// changedHome is a home that has changed since its last check.
type changedHome struct {
	first time.Time // the time of the first change; the zero time means no change
	due   time.Time // the time of the next check; the zero time means that the check has begun
}

// markChanged records a change in a home. The home is checked settleTime after the last change, or
// maxSettleTime after the first change at the latest.
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

// checkAt schedules a check of a home. Changes so far do not start an earlier check.
func (h *changedHomes) checkAt(user string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*h.findOrAdd(user) = changedHome{due: at}
}

// findOrAdd returns the entry of a home, and adds it if it is missing. The caller holds the mutex.
func (h *changedHomes) findOrAdd(user string) *changedHome {
	if h.byUser == nil {
		h.byUser = map[string]*changedHome{}
	}
	if h.byUser[user] == nil {
		h.byUser[user] = &changedHome{}
	}
	return h.byUser[user]
}

// takeIfSettled reports whether a home may be checked now. A home may be checked if it has been
// still for a while, or has changed for too long. If so, takeIfSettled removes the entry, and later
// changes lead to the next check.
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

// takeDue returns the users whose homes are due for a check. It marks these checks as begun.
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

// forget drops the changes of a home.
func (h *changedHomes) forget(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.byUser, user)
}

// nextDue returns the time of the next check. any is false if no home has changed.
func (h *changedHomes) nextDue() (next time.Time, any bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.byUser {
		if !u.due.IsZero() && (!any || u.due.Before(next)) {
			next, any = u.due, true
		}
	}
	return next, any
}
