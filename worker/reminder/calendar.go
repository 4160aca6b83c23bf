package reminder

import (
	"cmp"
	"time"

	"mews/protocol"
	"mews/worker/calendar"
)

// CalendarFormat reads the calendar of a home.
var CalendarFormat = Format{File: protocol.CalendarFile, Reminders: calendarReminders, Entries: calendarEntries}

// calendarReminders returns the alarms of the calendar between two times.
func calendarReminders(text []byte, from, until time.Time, zone *time.Location) (list []protocol.FileReminder) {
	file, err := calendar.Parse(string(text))
	if err != nil {
		return nil // the calendar's own commands say why
	}
	for _, a := range calendar.New(file, zone).Alarms(from, until) {
		id := cmp.Or(a.UID, a.Title())
		if id == "" || a.Anchor.Year() < 1970 {
			continue
		}
		list = append(list, protocol.FileReminder{ID: id, Occurrence: a.Instance, Trigger: a.Trigger,
			At: timeText(a.Anchor, a.Floating,
				zone), Lead: int64(a.Anchor.Sub(a.Due) / time.Second), DateOnly: a.AllDay,
			Title: a.Title(), World: a.Foreign()})
	}
	return list
}

// calendarEntries returns the events of the calendar that have a part between two times.
func calendarEntries(text []byte, from, until time.Time, zone *time.Location) (list []protocol.AgendaEntry) {
	file, err := calendar.Parse(string(text))
	if err != nil {
		return nil
	}
	for _, o := range calendar.New(file, zone).Between(from, until).List {
		if o.Cancelled() || o.Start.Year() < 1970 {
			continue
		}
		list = append(list, protocol.AgendaEntry{At: timeText(o.Start, o.AllDay, zone), DateOnly: o.AllDay,
			Title: o.Title(),
			World: o.Foreign()})
	}
	return list
}

// timeText returns a time in the form of a report.
func timeText(at time.Time, floating bool, zone *time.Location) string {
	if floating {
		return protocol.WallTime(at.In(zone))
	}
	return protocol.InstantTime(at)
}
