package calendar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scope says which occurrences of a repeated event an edit is for.
type Scope string

const (
	ScopeThis      Scope = "this"
	ScopeFollowing Scope = "following" // this one and all later ones
	ScopeAll       Scope = "all"
)

// Edit is one change of a calendar.
type Edit struct {
	UID      string
	Instance string // as in Occurrence; "" means an event that does not repeat, or all occurrences
	Scope    Scope  // "" is enough for an event that does not repeat
	Now      time.Time
	NewUID   string // UID of the event that ScopeFollowing splits off
}

// Errors for people, in words for the middle of a sentence.
var (
	ErrNoEvent    = errors.New("there is no such event")
	ErrNoInstance = errors.New("the event has no such date")
	ErrScope      = errors.New("the event repeats; say which dates are meant: this, following or all")
	errExceptions = errors.New("it has dates that were changed or deleted; with another zone, or with days instead" +
		" of times, they would be lost. Delete the event and add a new one")
	errRuleDays = errors.New("its rule names days or times; give its new rule too, as repeat")
)

// textNames are the properties of an event's texts, in the order of the Fields.
var textNames = []string{"SUMMARY", "LOCATION", "DESCRIPTION"}

const stampLayout = timeLayout + "Z"

// Add adds a new event. left29 is true if the rule was changed for 29 February.
func (c *Calendar) Add(uid string, f Fields, now time.Time) (left29 bool, err error) {
	if f.Title == nil || strings.TrimSpace(*f.Title) == "" {
		return false, errTitle
	}
	if f.Start == nil {
		return false, errWhen
	}
	s := c.File.style
	e := &Component{Name: "VEVENT", begin: "BEGIN:VEVENT" + s.newline, end: "END:VEVENT" + s.newline}
	e.add(s, "UID:"+uid)
	e.add(s, "DTSTAMP:"+now.UTC().Format(stampLayout))
	if left29, err = c.apply(e, f, moment{}); err != nil {
		return false, err
	}
	if f.Foreign {
		e.set(s, foreignMark, foreignMark+":TRUE")
	}
	c.calendarFor().insert(e, nil)
	return left29, nil
}

// calendarFor returns the VCALENDAR that gets new events. An empty file gets one.
func (c *Calendar) calendarFor() *Component {
	if all := c.File.root.components("VCALENDAR"); len(all) > 0 {
		last := all[len(all)-1]
		if last.end == "" {
			last.end = "END:VCALENDAR" + c.File.style.newline
		}
		return last
	}
	s := c.File.style
	v := &Component{Name: "VCALENDAR", begin: "BEGIN:VCALENDAR" + s.newline, end: "END:VCALENDAR" + s.newline}
	v.add(s, "VERSION:2.0")
	v.add(s, "PRODID:-//Mews//Calendar//EN")
	if n := len(c.File.root.items); n > 0 && c.File.root.items[n-1].child == nil {
		c.File.root.items[n-1].raw = withNewline(c.File.root.items[n-1].raw, s)
	}
	c.File.root.items = append(c.File.root.items, item{child: v})
	return v
}

// insert puts a component behind another one; nil means at the end.
func (c *Component) insert(child, behind *Component) {
	at := slices.IndexFunc(c.items, func(i item) bool { return behind != nil && i.child == behind })
	if at < 0 {
		at = len(c.items) - 1
	}
	c.items = slices.Insert(c.items, at+1, item{child: child})
}

// parentOf returns the calendar that has an event.
func (f *File) parentOf(e *Component) *Component {
	for _, v := range f.root.components("VCALENDAR") {
		if slices.ContainsFunc(v.items, func(i item) bool { return i.child == e }) {
			return v
		}
	}
	return &f.root
}

// apply sets the lines of an event. old is its start; the zero moment means a new event.
func (c *Calendar) apply(e *Component, f Fields, old moment) (left29 bool, err error) {
	s := c.File.style
	start, changed, err := f.begins(old, c.reader)
	if err != nil {
		return false, err
	}
	end, ended, err := f.ends(start)
	if err != nil {
		return false, err
	}
	var repeat string
	if f.Repeat != nil {
		if repeat, err = checkRepeat(*f.Repeat, start); err != nil {
			return false, err
		}
		repeat, left29 = birthday(repeat, start)
	}
	if changed {
		c.move(e, old, start, ended)
	}
	if ended {
		e.set(s, "DURATION", "")
		e.set(s, "DTEND", c.dateLine(e.line("DTSTART"), start, end, "DTEND"))
	}
	if f.Repeat != nil {
		line := ""
		if repeat != "" {
			line = "RRULE:" + repeat
		}
		e.set(s, "RRULE", line)
	}
	for i, text := range []*string{f.Title, f.Location, f.Notes} {
		if name := textNames[i]; text != nil && e.text(name) != *text {
			e.set(s, name, textLine(name, strings.TrimSpace(*text)))
		}
	}
	if f.Remind != nil {
		e.remind(s, *f.Remind)
	}
	return left29, nil
}

// dateLine returns the line of a moment. It has the parameters of an existing line for a moment of
// the same kind and zone, so that the name of a zone stays as another program wrote it.
func (c *Calendar) dateLine(like string, was, m moment, name string) string {
	if like != "" && was.date == m.date && was.zone == m.zone {
		return m.lineLike(like, name)
	}
	c.needZone(m.zone)
	return m.line(name)
}

// move sets the start of an event, and moves its end with it unless the end is set too.
func (c *Calendar) move(e *Component, old, start moment, ended bool) {
	s, line := c.File.style, e.line("DTSTART")
	e.set(s, "DTSTART", c.dateLine(line, old, start, "DTSTART"))
	end := e.line("DTEND")
	if end == "" || ended || old.wall.IsZero() {
		return
	}
	last, ok := c.zones.moment(end)
	if !ok || last.date != start.date {
		e.set(s, "DTEND", "")
		return
	}
	was := last
	last.wall = last.wall.Add(start.wall.Sub(old.wall))
	if last.zone == old.zone {
		last.zone = start.zone
	}
	e.set(s, "DTEND", c.dateLine(end, was, last, "DTEND"))
}

// remind replaces the alarms of an event.
func (e *Component) remind(s style, minutes []int) {
	for _, alarm := range e.components("VALARM") {
		e.remove(alarm)
	}
	for _, n := range minutes {
		sign := "-"
		if n < 0 {
			sign, n = "", -n
		}
		alarm := &Component{Name: "VALARM", begin: "BEGIN:VALARM" + s.newline, end: "END:VALARM" + s.newline}
		alarm.add(s, "ACTION:DISPLAY")
		alarm.add(s, textLine("DESCRIPTION", oneLine(e.text("SUMMARY"))))
		alarm.add(s, fmt.Sprintf("TRIGGER:%sPT%dM", sign, n))
		e.insert(alarm, nil)
	}
}

// touch marks an event as changed.
func (e *Component) touch(s style, now time.Time) {
	stamp := now.UTC().Format(stampLayout)
	e.set(s, "DTSTAMP", "DTSTAMP:"+stamp)
	e.set(s, "LAST-MODIFIED", "LAST-MODIFIED:"+stamp)
	n, _ := strconv.Atoi(strings.TrimSpace(property(e.line("SEQUENCE")).Value))
	e.set(s, "SEQUENCE", "SEQUENCE:"+strconv.Itoa(n+1))
}

// target is the part of a calendar that an edit is for.
type target struct {
	*series
	instance moment // start of the occurrence by the rule; the zero moment means all
	first    bool   // the occurrence is the first one
}

// find returns the part of the calendar that an edit is for.
func (c *Calendar) find(ed Edit) (t target, err error) {
	s := c.byUID[ed.UID]
	if s == nil {
		return t, ErrNoEvent
	}
	t.series = s
	repeats := s.master == nil || s.master.repeats || len(s.changed) > 0
	if !repeats || ed.Scope == ScopeAll && ed.Instance == "" {
		return t, nil
	}
	if ed.Scope == "" || ed.Instance == "" {
		return t, ErrScope
	}
	of := s.first().start
	if t.instance, err = parseWall(ed.Instance); err != nil || t.instance.date != of.date {
		return t, ErrNoInstance
	}
	t.instance.zone = of.zone
	key := s.key(t.instance, c.reader)
	there := slices.ContainsFunc(s.changed, func(e *event) bool { return s.key(e.instance, c.reader) == key })
	if s.master != nil {
		q := &search{Calendar: c}
		list, x, _ := q.walls(s, t.instance.wall, t.instance.wall.Add(time.Second))
		there = there || slices.ContainsFunc(list, t.instance.wall.Equal) && !x.has(s, t.instance.wall, c.reader)
		t.first = !slices.ContainsFunc(list, t.instance.wall.After) && !of.wall.Before(t.instance.wall)
	}
	if !there {
		return t, ErrNoInstance
	}
	return t, nil
}

// isWhole reports whether the edit is for everything that the series has.
func (t target) isWhole(scope Scope) bool {
	return t.instance.wall.IsZero() || scope == ScopeAll || scope == ScopeFollowing && t.first || t.master == nil && scope != ScopeThis
}

// Delete deletes occurrences.
func (c *Calendar) Delete(ed Edit) error {
	t, err := c.find(ed)
	if err != nil {
		return err
	}
	s := c.File.style
	if t.isWhole(ed.Scope) {
		for _, e := range c.File.in("VEVENT") {
			if strings.TrimSpace(property(e.line("UID")).Value) == ed.UID {
				c.File.root.remove(e)
			}
		}
		return nil
	}
	for _, e := range t.from(t.instance, c.reader) {
		if ed.Scope == ScopeFollowing || t.key(e.instance, c.reader) == t.key(t.instance, c.reader) {
			c.File.root.remove(e.c)
		}
	}
	if t.master == nil {
		return nil
	}
	if ed.Scope == ScopeFollowing {
		c.end(t)
	} else {
		t.master.c.add(s, t.instance.lineLike(t.master.c.line("DTSTART"), "EXDATE"))
	}
	t.master.c.touch(s, ed.Now)
	return nil
}

// from returns the changed events of an occurrence and of all later ones.
func (t target) from(m moment, reader *time.Location) (list []*event) {
	for _, e := range t.changed {
		if t.key(e.instance, reader) >= t.key(m, reader) {
			list = append(list, e)
		}
	}
	return list
}
