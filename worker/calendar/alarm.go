package calendar

import (
	"slices"
	"strings"
	"time"
)

// Alarm is an alarm of an event at one time.
type Alarm struct {
	Occurrence
	Trigger string    // the alarm's trigger, as in the file
	Anchor  time.Time // start or end of the event, to which the trigger counts; or the alarm's own time
	// Floating means that the clock in the reader's zone shows the anchor, wherever the reader is.
	Floating bool
	Due      time.Time
}

// maxAlarms bounds the alarms of one event that are read.
const maxAlarms = 20

// maxLead bounds the time between an alarm and its event.
const maxLead = 400 * 24 * time.Hour

// Alarms returns the alarms that are due between two instants, from before to. Alarms of events
// that are called off are left out. If the times of repeated events are too many, the earliest
// count.
func (c *Calendar) Alarms(from, to time.Time) (list []Alarm) {
	with := Calendar{File: c.File, reader: c.reader, zones: c.zones}
	before, after := time.Duration(0), time.Duration(0) // the events' times after and before their alarms
	for _, s := range c.series {
		has := false
		for _, e := range append(slices.Clone(s.changed), s.master) {
			if e == nil {
				continue
			}
			for _, alarm := range e.alarms() {
				p := property(alarm)
				if d, ok := duration(p.Value); ok {
					before, after = max(before, min(-d, maxLead)), max(after, min(d+e.length, maxLead))
				} else if fixed, ok := with.zones.moment(alarm); ok && !e.repeats {
					lead := e.start.instant(c.reader).Sub(fixed.instant(c.reader))
					before, after = max(before, min(lead, maxLead)), max(after, min(-lead, maxLead))
				}
				has = true
			}
		}
		if has {
			with.series = append(with.series, s)
		}
	}
	if len(with.series) == 0 {
		return nil
	}
	for _, o := range with.Between(from.Add(-after), to.Add(before)).List {
		if o.Cancelled() {
			continue
		}
		for _, alarm := range o.event.alarms() {
			if a, ok := with.alarm(o, alarm); ok && !a.Due.Before(from) && a.Due.Before(to) {
				list = append(list, a)
			}
		}
	}
	return list
}

// alarms returns the triggers of an event's alarms, as lines.
func (e *event) alarms() (triggers []string) {
	for _, alarm := range e.c.components("VALARM") {
		trigger := alarm.line("TRIGGER")
		if len(triggers) < maxAlarms && trigger != "" && !strings.EqualFold(alarm.text("ACTION"), "NONE") {
			triggers = append(triggers, trigger)
		}
	}
	return triggers
}

// alarm returns the alarm of an occurrence with a trigger. ok is false if the trigger can't be
// read. Whole days before an event are days on the wall.
func (c *Calendar) alarm(o Occurrence, trigger string) (a Alarm, ok bool) {
	p := property(trigger)
	a = Alarm{Occurrence: o, Trigger: strings.TrimSpace(p.Value), Anchor: o.Start,
		Floating: o.AllDay || o.event.start.zone == nil}
	if fixed, ok := c.zones.moment(trigger); ok {
		a.Anchor, a.Floating = fixed.instant(c.reader), fixed.zone == nil
		a.Due = a.Anchor
		return a, o.Instance == "" || o.Moved // a fixed time means one occurrence
	}
	d, ok := duration(p.Value)
	if strings.EqualFold(p.Params.Get("RELATED"), "END") {
		a.Anchor, a.Trigger = o.End, "END"+a.Trigger
	}
	if a.Due = a.Anchor.Add(d); d%(24*time.Hour) == 0 {
		zone := o.event.zone(c.reader)
		a.Due = onWall(wallOf(a.Anchor, zone).Add(d), zone)
	}
	return a, ok && d < maxLead && d > -maxLead
}
