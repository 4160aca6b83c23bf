package ingress

import (
	"fmt"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/audit"
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

// NoteAdmissions notes in the audit log, once a day for each conversation, that something was taken there, and hands it on to
// accept.
func NoteAdmissions(log *audit.Log, now func() time.Time, accept func(supervisor.Inbound)) func(supervisor.Inbound) {
	var today admissions
	return func(in supervisor.Inbound) {
		if c := in.Conversation; today.first(c.ID, now()) {
			log.Routine(c.User, "admitted", fmt.Sprintf("in conversation %d: %s chat %q", c.ID, c.Channel, c.Chat))
		}
		accept(in)
	}
}

// NoteRefusals notes in the audit log, once a day for each account, that it was refused at the control socket.
func NoteRefusals(log *audit.Log, now func() time.Time) func(uid uint32, why error) {
	var strangers access.UnknownSenders
	return func(uid uint32, why error) {
		if strangers.First(fmt.Sprint(uid), now()) {
			log.Note("", "control.refused", fmt.Sprintf("user id %d: %s", uid, supervisor.ErrorMessage(why)))
		}
	}
}
