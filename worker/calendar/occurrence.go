package calendar

import (
	"strings"
	"time"
)

// Occurrence is one event at one time.
type Occurrence struct {
	// Calendar is the name of the subscribed calendar; "" means the user's own.
	Calendar string

	UID    string
	Start  time.Time // in the zone of the event
	End    time.Time // the first moment after the event; Start if it has no length
	AllDay bool      // whole days in the reader's zone
	// Instance names the occurrence of a repeated event by its time in the rule, such as
	// 2026-12-03T15:00 or 2026-12-03; "" means an event that does not repeat.
	Instance string
	Moved    bool // the file has a changed event for this occurrence

	event *event
	wall  time.Time
}

// Title returns the event's title in one line.
func (o Occurrence) Title() string { return oneLine(o.event.c.text("SUMMARY")) }

// Location returns the event's place in one line.
func (o Occurrence) Location() string { return oneLine(o.event.c.text("LOCATION")) }

// Notes returns the event's description.
func (o Occurrence) Notes() string {
	return strings.ToValidUTF8(o.event.c.text("DESCRIPTION"), "\ufffd")
}

// Cancelled reports whether the event was called off.
func (o Occurrence) Cancelled() bool {
	return strings.EqualFold(o.event.c.text("STATUS"), "CANCELLED")
}

// Busy reports whether the event takes up its time, so that others conflict with it.
func (o Occurrence) Busy() bool {
	return !o.AllDay && !o.Cancelled() && !strings.EqualFold(o.event.c.text("TRANSP"), "TRANSPARENT")
}

// Foreign reports whether the event came from somebody else.
func (o Occurrence) Foreign() bool { return o.Calendar != "" || o.event.c.line(foreignMark) != "" }

// oneLine returns a text without line breaks and control characters.
func oneLine(text string) string {
	return strings.Map(dropControl, strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
}

// overlaps reports whether the occurrence has any time in a span.
func (o Occurrence) overlaps(from, to time.Time) bool {
	return o.Start.Before(to) && (o.End.After(from) || !o.Start.Before(from))
}

const (
	instanceDate = "2006-01-02"
	instanceTime = "2006-01-02T15:04"
)

// instanceName returns the name of an occurrence by its time in the rule.
func instanceName(wall time.Time, date bool) string {
	switch {
	case date:
		return wall.Format(instanceDate)
	case wall.Second() != 0:
		return wall.Format(instanceTime + ":05")
	}
	return wall.Format(instanceTime)
}

// foreignMark is the property that marks an event from somebody else.
const foreignMark = "X-MEWS-FROM-OTHERS"
