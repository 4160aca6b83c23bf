package reminder

import (
	"time"

	"mews/protocol"
	"mews/worker/todo"
)

// TodoFormat reads the to-do list of a home.
var TodoFormat = Format{File: protocol.TodoFile, Reminders: todoReminders, Entries: todoEntries}

// todoReminders returns a reminder of each item that is due and not done. Report drops those of
// other times.
func todoReminders(text []byte, _, _ time.Time, zone *time.Location) (list []protocol.FileReminder) {
	for _, i := range todo.Parse(string(text)).Items() {
		if e, ok := todoEntry(i, zone); ok {
			list = append(list, protocol.FileReminder{ID: i.Key, Occurrence: i.Mark(), Trigger: protocol.TriggerDue,
				At: e.At, DateOnly: e.DateOnly, Title: e.Title})
		}
	}
	return list
}

// todoEntries returns the items that are due before a time and not done.
func todoEntries(text []byte, _, until time.Time, zone *time.Location) (list []protocol.AgendaEntry) {
	for _, i := range todo.Parse(string(text)).Items() {
		if e, ok := todoEntry(i, zone); ok && moment(e.At, zone).Before(until) {
			list = append(list, e)
		}
	}
	return list
}

// todoEntry returns the entry of an item. ok is false if the item is done or has no due date.
func todoEntry(i todo.Item, zone *time.Location) (e protocol.AgendaEntry, ok bool) {
	at, day, ok := i.DueTime(zone)
	if !ok || i.Status == todo.StatusDone || at.Year() < 1970 {
		return e, false
	}
	if day {
		at = time.Date(at.Year(), at.Month(), at.Day(), protocol.DueHour, 0, 0, 0, zone)
	}
	return protocol.AgendaEntry{At: protocol.WallTime(at), DateOnly: day, Title: i.Title}, true
}
