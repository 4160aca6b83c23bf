package reminder

import (
	"cmp"
	"slices"
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

// subscribedEntries returns the events of subscribed calendars that have a part between two times.
func (h *Home) subscribedEntries(subscribed []*calendar.Calendar, from, until time.Time) (
	list []protocol.AgendaEntry) {
	if len(subscribed) == 0 {
		return nil
	}
	_, text, info := h.Files.PeekFile(protocol.CalendarFile, maxFileBytes)
	if info != nil && info.Size() > maxFileBytes {
		text = nil
	}
	all := slices.Clone(subscribed)
	if file, err := calendar.Parse(string(text)); err == nil {
		all = append(all, calendar.New(file, h.Zone))
	}
	found := calendar.Between(all, from, until)
	type key struct {
		calendar, uid string
		start         int64
	}
	keyOf := func(o calendar.Occurrence) key { return key{o.Calendar, o.UID, o.Start.Unix()} }
	meets := map[key]string{}
	for _, pair := range calendar.Overlaps(found.List, protocol.MaxAgendaEntries) {
		meets[keyOf(pair.Other)] = pair.Ours.Title()
	}
	for _, o := range found.List {
		if o.Calendar == "" || o.Cancelled() || o.Start.Year() < 1970 {
			continue
		}
		list = append(list, protocol.AgendaEntry{File: protocol.CalendarFile,
			At: timeText(o.Start, o.AllDay, h.Zone), DateOnly: o.AllDay, World: true, Calendar: o.Calendar,
			Title: protocol.CutReminderText(o.Title(), protocol.MaxReminderTitleBytes),
			Meets: protocol.CutReminderText(meets[keyOf(o)], protocol.MaxReminderTitleBytes)})
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
