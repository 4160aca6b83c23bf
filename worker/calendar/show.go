package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// IDOf returns the short id of an event, for people and models. UIDs are long.
func IDOf(uid string) string {
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:4])
}

// ID returns the id of the occurrence. It is the event's id; if the event repeats, the name of the
// occurrence follows.
func (o Occurrence) ID() string {
	if o.Instance == "" {
		return IDOf(o.UID)
	}
	return IDOf(o.UID) + "/" + o.Instance
}

// FindID returns the UID and the occurrence that an id means; ok is false if there is none.
func (c *Calendar) FindID(id string) (uid, instance string, ok bool) {
	id, instance, _ = strings.Cut(strings.ToLower(strings.TrimSpace(id)), "/")
	for _, s := range c.series {
		if s.uid != "" && (IDOf(s.uid) == id || strings.EqualFold(s.uid, id)) {
			return s.uid, strings.ToUpper(instance), true
		}
	}
	return "", "", false
}

// Repeats reports whether an event repeats.
func (c *Calendar) Repeats(uid string) bool {
	s := c.byUID[uid]
	return s != nil && (s.master == nil || s.master.repeats)
}

// Has reports whether the calendar has an event with this UID.
func (c *Calendar) Has(uid string) bool { return c.byUID[uid] != nil }

// IsForeign reports whether some of an event comes from somebody else.
func (c *Calendar) IsForeign(uid string) bool {
	s := c.byUID[uid]
	isForeign := func(e *event) bool { return e.c.line(foreignMark) != "" }
	return s != nil && (s.master != nil && isForeign(s.master) || slices.ContainsFunc(s.changed, isForeign))
}

const dayLayout = "Mon 2006-01-02"

// Day returns the day on which the occurrence begins, for the reader.
func (o Occurrence) Day(reader *time.Location) string { return o.Start.In(reader).Format(instanceDate) }

// When returns the time of the occurrence by the reader's clock. If the event's zone has another
// offset then, its own time follows.
func (o Occurrence) When(reader *time.Location) string {
	text := o.when(reader)
	zone := o.Start.Location()
	if o.AllDay || zone == time.UTC {
		return text
	}
	if _, own := o.Start.Zone(); own != offsetAt(o.Start, reader) {
		there := strings.TrimPrefix(o.when(zone), o.Start.In(reader).Format(dayLayout)+" ")
		return text + " (" + there + " in " + oneLine(zone.String()) + ")"
	}
	return text
}

func offsetAt(at time.Time, zone *time.Location) int {
	_, offset := at.In(zone).Zone()
	return offset
}

// OnDay returns the times of the occurrence on its day, such as 15:00-16:00 or all day. If the
// event's zone has another offset then, its own time follows.
func (o Occurrence) OnDay(reader *time.Location) string {
	return strings.TrimPrefix(o.When(reader), o.Start.In(reader).Format(dayLayout)+" ")
}

func (o Occurrence) when(zone *time.Location) string {
	start, end := o.Start.In(zone), o.End.In(zone)
	if o.AllDay {
		if last := end.Add(-time.Second); last.Format(instanceDate) != start.Format(instanceDate) && last.After(start) {
			return start.Format(dayLayout) + " to " + last.Format(dayLayout)
		}
		return start.Format(dayLayout) + " all day"
	}
	text := start.Format(dayLayout + " 15:04")
	switch {
	case !end.After(start):
		return text
	case end.Format(instanceDate) == start.Format(instanceDate):
		return text + "-" + end.Format("15:04")
	}
	return text + " to " + end.Format(dayLayout+" 15:04")
}

// maxSearched is how far ahead Next and Conflicts look.
const maxSearched = 2 * 366 * 24 * time.Hour

// Next returns the next occurrences of an event from an instant, at most a number of them.
func (c *Calendar) Next(uid string, from time.Time, most int) []Occurrence {
	s := c.byUID[uid]
	if s == nil {
		return nil
	}
	for _, span := range []time.Duration{maxSearched, MaxSpan} {
		q := &search{Calendar: c, from: from, to: from.Add(span)}
		q.add(s)
		if q.found.shorten(); len(q.found.List) >= most || span == MaxSpan {
			return q.found.List[:min(most, len(q.found.List))]
		}
	}
	return nil
}

// Conflict is a pair of occurrences that overlap.
type Conflict struct{ Ours, Other Occurrence }

// Conflicts returns the first times at which an event meets another one. Whole days and events that
// are marked as free do not count. most is the maximum number of times. others are subscribed
// calendars, whose events count too.
func (c *Calendar) Conflicts(uid string, from time.Time, most int, others ...*Calendar) (list []Conflict) {
	ours := c.Next(uid, from, 60)
	if len(ours) == 0 {
		return nil
	}
	all := Between(append([]*Calendar{c}, others...), ours[0].Start, ours[len(ours)-1].End.Add(time.Second)).List
	for _, o := range ours {
		if !o.Busy() {
			continue
		}
		for _, other := range all {
			if other.UID == uid && other.Calendar == "" || !other.Busy() || !other.Start.Before(o.End) ||
				!o.Start.Before(other.End) {
				continue
			}
			if list = append(list, Conflict{o, other}); len(list) == most {
				return list
			}
		}
	}
	return list
}

// Title returns the title of an event in one line.
func (c *Calendar) Title(uid string) string {
	if s := c.byUID[uid]; s != nil {
		return oneLine(s.first().c.text("SUMMARY"))
	}
	return ""
}
