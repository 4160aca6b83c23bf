package filereminder

import (
	"time"

	"mews/protocol"
	"mews/supervisor/recurrence"
	"mews/supervisor/sqlite"
)

const (
	// keepTime is how long a reminder stays stored after its time. It is longer than a report looks
	// back, so that no reminder that was said counts as new.
	keepTime = 40 * 24 * time.Hour
	// maxAhead is how far ahead a stored reminder may be due. A report covers less.
	maxAhead = 40 * 24 * time.Hour
	// maxStored is the most reminders that are stored for a user.
	maxStored = 4 * protocol.MaxFileReminders
)

// dueAt returns when a reminder is due for a user in a zone. A report's times are valid.
func dueAt(r protocol.FileReminder, zone *time.Location) time.Time {
	at, wall, _ := protocol.ParseReminderTime(r.At)
	if wall {
		at = recurrence.Instant(at, zone)
	}
	return at.Add(-time.Duration(r.Lead) * time.Second)
}

// merge returns the changes that a report makes of a user's stored reminders. A new reminder waits,
// unless its time has passed. A reminder that was said stays said, unless its time in the file is
// moved into the future: then it waits again.
func merge(stored []sqlite.FileReminder, r protocol.ReminderReport, zone *time.Location,
	now time.Time) (c sqlite.FileReminderChanges) {
	c = sqlite.FileReminderChanges{PruneBefore: now.Add(-keepTime), Reported: true}
	known := map[protocol.ReminderKey]sqlite.FileReminder{}
	for _, s := range stored {
		known[s.Key()] = s
	}
	wanted, added := map[protocol.ReminderKey]bool{}, 0
	for _, item := range r.Items {
		was, isKnown := known[item.Key()]
		next := sqlite.FileReminder{FileReminder: item, DueAt: dueAt(item, zone), Zone: zone.String(),
			State: sqlite.FileReminderWaiting}
		moved := item.At != was.At || item.Lead != was.Lead
		switch past := next.DueAt.Before(now); {
		case next.DueAt.After(now.Add(maxAhead)), past && (!isKnown || was.State == sqlite.FileReminderWaiting &&
			moved):
			continue
		case !isKnown:
			added++
		case was.State != sqlite.FileReminderWaiting && (!moved || past || !next.DueAt.After(was.DueAt)):
			continue
		}
		wanted[item.Key()] = true
		if !isKnown || !sameReminder(was, next) {
			c.Put = append(c.Put, next)
		}
	}
	excess := len(stored) + added - maxStored
	for _, s := range stored { // the earliest first
		at, waits := s.DueAt, s.State == sqlite.FileReminderWaiting
		gone := waits && !wanted[s.Key()] && (at.Unix() >= r.From && at.Unix() < r.Until || at.After(now.Add(maxAhead)))
		if gone || !waits && excess > 0 {
			c.Drop = append(c.Drop, s.ID)
			excess--
		}
	}
	return c
}

// sameReminder reports whether two versions of a reminder are stored alike.
func sameReminder(a, b sqlite.FileReminder) bool {
	return a.FileReminder == b.FileReminder && a.DueAt.Equal(b.DueAt) && a.Zone == b.Zone && a.State == b.State
}

// inZone returns the changes that make waiting reminders due in a new time zone of their user.
func inZone(stored []sqlite.FileReminder, zone *time.Location) (c sqlite.FileReminderChanges) {
	for _, s := range stored {
		if s.State == sqlite.FileReminderWaiting && s.Zone != zone.String() {
			s.DueAt, s.Zone = dueAt(s.FileReminder, zone), zone.String()
			c.Put = append(c.Put, s)
		}
	}
	return c
}
