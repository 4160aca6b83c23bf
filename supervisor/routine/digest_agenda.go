package routine

import (
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor/markdown"
)

// addAgenda adds the events of the day, and the to-dos that are due. A to-do that was due on an
// earlier day is no news. Titles in words of others are shown as code. Notes stand below the
// events, and are no news.
func (d *digest) addAgenda(list []protocol.AgendaEntry, notes []string) {
	var events, due []string
	for _, e := range list {
		line, today := d.agendaLine(e)
		if e.File == protocol.TodoFile {
			due = append(due, line)
		} else {
			events = append(events, line)
		}
		d.news, d.world = d.news || today, d.world || e.World
	}
	for _, note := range notes {
		events = append(events, markdown.EscapeSentence(note))
	}
	d.addSection(textDigestEvents, events, maxLines+len(notes))
	d.addSection(textDigestDue, due, maxLines)
}

// agendaLine returns the line of an event or a to-do, and whether its day is today. It shows no
// time of a to-do that is due today, unless the file has one.
func (d *digest) agendaLine(e protocol.AgendaEntry) (line string, today bool) {
	title := markdown.EscapeSentence(oneLine(e.Title))
	if e.World {
		title = markdown.EscapeName(oneLine(e.Title))
	}
	if e.Calendar != "" {
		title += fmt.Sprintf(textDigestCalendar, markdown.EscapeSentence(oneLine(e.Calendar)))
	}
	if e.Meets != "" {
		title += fmt.Sprintf(textDigestMeets, markdown.EscapeName(oneLine(e.Meets)))
	}
	at, wall, _ := protocol.ParseReminderTime(e.At) // the operation has checked the time
	if !wall {
		at = at.In(d.now.Location())
	}
	today = at.Format(time.DateOnly) == d.now.Format(time.DateOnly)
	switch {
	case today && e.DateOnly && e.File == protocol.TodoFile:
		return title, true
	case today && e.DateOnly:
		return fmt.Sprintf(textDigestAllDay, title), true
	case today:
		return at.Format("15:04") + ": " + title, true
	case e.DateOnly:
		return fmt.Sprintf(textDigestSince, title, at.Format(dateLayout)), false
	}
	return fmt.Sprintf(textDigestSince, title, at.Format(dayLayout)), false
}
