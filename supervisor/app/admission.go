package app

import (
	"fmt"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
)

// admissions remember in which conversations something was taken today. The zero value is ready.
type admissions struct {
	mu   sync.Mutex // guards what follows
	day  string
	seen map[int64]bool
}

// first says whether it is the first of a conversation on a day. A restart forgets.
func (a *admissions) first(conversation int64, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if day := now.Format(time.DateOnly); day != a.day {
		a.day, a.seen = day, map[int64]bool{}
	}
	if a.seen[conversation] {
		return false
	}
	a.seen[conversation] = true
	return true
}

// admitting has the audit log say, once a day for each conversation, that somebody was let speak there.
func admitting(s *Service, accept func(supervisor.Inbound)) func(supervisor.Inbound) {
	var today admissions
	return func(in supervisor.Inbound) {
		if c := in.Conversation; today.first(c.ID, s.moment()) {
			s.audit.Routine(c.User, "admitted", fmt.Sprintf("in conversation %d: %s chat %q", c.ID, c.Channel, c.Chat))
		}
		accept(in)
	}
}

// turnedAway has the audit log say, once a day for each account, that it was not let in at the control socket.
func turnedAway(s *Service) func(uid uint32, why error) {
	var strangers access.UnknownSenders
	return func(uid uint32, why error) {
		if strangers.First(fmt.Sprint(uid), s.moment()) {
			s.audit.Note("", "control.refused", fmt.Sprintf("user id %d: %s", uid, supervisor.ErrorMessage(why)))
		}
	}
}

// beginning keeps that somebody's worker has started.
func beginning(s *Service) func(user string, pid int) {
	return func(user string, pid int) {
		s.audit.Routine(user, "worker.started", fmt.Sprintf("process %d, walls %s", pid, s.places.Spawner.Sandbox().Tier))
	}
}
