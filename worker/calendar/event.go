package calendar

import (
	"strconv"
	"strings"
	"time"
)

// event is a VEVENT as far as it says when it is.
type event struct {
	c        *Component
	uid      string
	start    moment
	length   time.Duration
	exact    bool // the length is by the clock of the sun; otherwise the wall clock's
	repeats  bool // there is an RRULE or RDATE
	instance moment
	changes  bool // the event replaces the occurrence instance
	onward   bool // it replaces all later occurrences too (RANGE=THISANDFUTURE)
	sequence int
}

// maxLength bounds the length of an event.
const maxLength = 10 * 366 * 24 * time.Hour

// event reads a VEVENT. ok is false if it has no start.
func (z *zones) event(c *Component) (e event, ok bool) {
	e.c = c
	var end, length string
	for i := range c.items {
		it := &c.items[i]
		switch it.name {
		case "UID":
			e.uid = strings.TrimSpace(property(unfold(it.raw)).Value)
		case "DTSTART":
			e.start, ok = z.moment(unfold(it.raw))
		case "DTEND":
			end = it.raw
		case "DURATION":
			length = property(unfold(it.raw)).Value
		case "RRULE", "RDATE":
			e.repeats = true
		case "SEQUENCE":
			e.sequence, _ = strconv.Atoi(property(unfold(it.raw)).Value)
		case "RECURRENCE-ID":
			line := unfold(it.raw)
			if e.instance, e.changes = z.moment(line); e.changes {
				e.onward = strings.EqualFold(property(line).Params.Get("RANGE"), "THISANDFUTURE")
			}
		}
	}
	e.setLength(z, end, length)
	return e, ok
}

// setLength reads DTEND or DURATION. An event without both lasts a day, or no time at all.
func (e *event) setLength(z *zones, end, length string) {
	if e.start.date {
		e.length = 24 * time.Hour
	}
	if d, ok := duration(length); ok && length != "" {
		e.length, e.exact = d, d%(24*time.Hour) != 0 && !e.start.date
	}
	if last, ok := z.moment(unfold(end)); ok && end != "" && last.date == e.start.date {
		e.length, e.exact = last.wall.Sub(e.start.wall), false
		if last.zone != e.start.zone && !last.date {
			e.length, e.exact = last.instant(time.UTC).Sub(e.start.instant(time.UTC)), true
		}
	}
	if e.length = min(max(e.length, 0), maxLength); e.start.date {
		e.length = max(e.length.Truncate(24*time.Hour), 24*time.Hour)
	}
}

// zone returns the zone of the event's clock.
func (e *event) zone(reader *time.Location) *time.Location {
	if e.start.zone == nil || e.start.date {
		return reader
	}
	return e.start.zone
}

// occurrence returns the occurrence of an event that begins at a wall time.
func (e *event) occurrence(wall time.Time, reader *time.Location) Occurrence {
	zone := e.zone(reader)
	o := Occurrence{event: e, UID: e.uid, AllDay: e.start.date, Start: onWall(wall, zone)}
	if e.exact {
		o.End = o.Start.Add(e.length)
	} else if o.End = o.Start; e.length > 0 {
		o.End = onWall(wall.Add(e.length), zone)
	}
	if o.End.Before(o.Start) { // the clock was put back within it
		o.End = o.Start
	}
	o.wall = wall
	return o
}
