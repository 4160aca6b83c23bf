package calendar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Update changes occurrences. left29 is true if a rule was changed for 29 February.
func (c *Calendar) Update(ed Edit, f Fields) (left29 bool, err error) {
	t, err := c.find(ed)
	if err != nil {
		return false, err
	}
	if !t.isWhole(ed.Scope) && ed.Scope == ScopeThis {
		return false, c.updateOne(t, ed, f)
	}
	main := t.component()
	if !t.isWhole(ed.Scope) {
		if main, err = c.split(t, ed); err != nil {
			return false, err
		}
	}
	return c.updateAll(t, main, ed, f)
}

// component returns the component that holds the series' own lines.
func (t target) component() *Component { return t.series.first().c }

// updateOne changes one occurrence. It gets an event of its own if it has none.
func (c *Calendar) updateOne(t target, ed Edit, f Fields) error {
	if f.Repeat != nil && *f.Repeat != "" {
		return fmt.Errorf("one date of an event can't repeat; %w", ErrScope)
	}
	f.Repeat = nil
	s := c.File.style
	for _, e := range t.changed {
		if t.key(e.instance, c.reader) == t.key(t.instance, c.reader) {
			if _, err := c.apply(e.c, f, e.start); err != nil {
				return err
			}
			e.c.touch(s, ed.Now)
			return nil
		}
	}
	by, wall := t.at(t.key(t.instance, c.reader), t.instance.wall, c.reader)
	one := by.c.copyWithout("RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID")
	start := by.start
	start.wall = wall
	c.move(one, by.start, start, false)
	one.add(s, t.instance.lineLike(t.master.c.line("DTSTART"), "RECURRENCE-ID"))
	if _, err := c.apply(one, f, start); err != nil {
		return err
	}
	one.touch(s, ed.Now)
	c.File.parentOf(t.master.c).insert(one, t.master.c)
	return nil
}

// copyWithout returns a copy of a component without the lines of some names.
func (c *Component) copyWithout(names ...string) *Component {
	to := &Component{Name: c.Name, begin: c.begin, end: c.end}
	for _, i := range c.items {
		switch {
		case i.child != nil:
			to.items = append(to.items, item{child: i.child.copyWithout()})
		case !slices.Contains(names, i.name):
			to.items = append(to.items, i)
		}
	}
	return to
}

// updateAll changes the event main, and the changed events that belong to it.
func (c *Calendar) updateAll(t target, main *Component, ed Edit, f Fields) (left29 bool, err error) {
	e, _ := c.zones.event(main)
	at := e.start
	if !t.instance.wall.IsZero() && ed.Scope == ScopeAll {
		at = t.instance
	}
	start, moves, err := f.begins(at, c.reader)
	if err != nil {
		return false, err
	}
	shift := start.wall.Sub(at.wall)
	var changed []*Component
	for _, other := range c.File.in("VEVENT") {
		if other != main && property(other.line("UID")).Value == property(main.line("UID")).Value {
			changed = append(changed, other)
		}
	}
	exceptions := len(changed) > 0 || main.line("EXDATE") != "" || main.line("RDATE") != ""
	if moves && exceptions && (start.date != at.date || start.zone != at.zone) {
		return false, errExceptions
	}
	if moves && shift != 0 && e.repeats && f.Repeat == nil {
		if err := c.shiftRule(main, at.wall, start.wall); err != nil {
			return false, err
		}
	}
	if moves {
		// the start of the series moves as far as the named occurrence does
		wall := e.start.wall.Add(shift)
		text := instanceName(wall, start.date)
		f.Start = &text
		c.shiftEnd(&f, at.wall.Add(shift), wall)
	}
	texts := main.copyWithout()
	if left29, err = c.apply(main, f, e.start); err != nil {
		return false, err
	}
	s := c.File.style
	for _, name := range []string{"EXDATE", "RDATE"} {
		c.shiftLines(main, name, shift)
	}
	for _, other := range changed {
		c.shiftLines(other, "RECURRENCE-ID", shift)
		for _, name := range textNames {
			if other.text(name) == texts.text(name) && texts.line(name) != main.line(name) {
				other.set(s, name, main.line(name))
			}
		}
	}
	main.touch(s, ed.Now)
	return left29, nil
}

// shiftEnd moves a given end from the day of the named occurrence to that of the series' start.
func (c *Calendar) shiftEnd(f *Fields, from, to time.Time) {
	if f.End == nil {
		return
	}
	if m, err := parseWall(*f.End); err == nil {
		text := instanceName(m.wall.Add(to.Sub(from)), m.date)
		f.End = &text
	}
}

// shiftLines moves all values of the lines with a name.
func (c *Calendar) shiftLines(e *Component, name string, by time.Duration) {
	if by == 0 {
		return
	}
	for i := range e.items {
		if e.items[i].name != name {
			continue
		}
		line := unfold(e.items[i].raw)
		var values []string
		for value := range strings.SplitSeq(property(line).Value, ",") {
			if m, ok := parseMoment(strings.TrimSpace(value), nil); ok {
				if m.wall = m.wall.Add(by); m.date {
					m.wall = m.wall.Truncate(24 * time.Hour)
				}
				value = m.value()
			}
			values = append(values, value)
		}
		e.items[i].raw = c.File.style.fold(replaceValue(line, strings.Join(values, ",")))
	}
}

// shiftRule changes the rule of an event whose occurrences move from one wall time to another. It
// refuses rules for which that is not clear.
func (c *Calendar) shiftRule(e *Component, from, to time.Time) error {
	line := e.line("RRULE")
	if line == "" {
		return nil
	}
	r, err := parseRule(property(line).Value, from, nil)
	if err != nil {
		return err
	}
	days := int(to.Truncate(24*time.Hour).Sub(from.Truncate(24*time.Hour)) / (24 * time.Hour))
	value := property(line).Value
	given := func(name string) bool { return part(strings.ToUpper(value), name) != "" }
	clock := to.Sub(to.Truncate(24*time.Hour)) != from.Sub(from.Truncate(24*time.Hour))
	if clock && (given("BYHOUR") || given("BYMINUTE") || given("BYSECOND")) {
		return errRuleDays
	}
	if days != 0 && given("BYDAY") && r.Freq == rrule.WEEKLY && !given("BYSETPOS") && !given("BYMONTH") {
		var moved []string
		for _, w := range r.Byweekday {
			moved = append(moved, weekdays[((w.Day()+1+days)%7+7)%7].String())
		}
		value = setPart(value, "BYDAY", strings.Join(moved, ","))
	} else if days != 0 && (given("BYDAY") || given("BYMONTHDAY") || given("BYMONTH") || given("BYYEARDAY") || given("BYWEEKNO")) {
		return errRuleDays
	}
	if until := part(strings.ToUpper(value), "UNTIL"); until != "" {
		if m, ok := parseMoment(until, nil); ok && !m.date {
			m.wall = m.wall.Add(to.Sub(from))
			value = setPart(value, "UNTIL", m.value())
		} else if ok {
			m.wall = m.wall.AddDate(0, 0, days)
			value = setPart(value, "UNTIL", m.value())
		}
	}
	e.set(c.File.style, "RRULE", replaceValue(line, value))
	return nil
}

// setPart sets one part of a rule; "" removes it. The others stay as they are.
func setPart(value, name, to string) string {
	parts := strings.Split(value, ";")
	parts = slices.DeleteFunc(parts, func(p string) bool {
		key, _, _ := strings.Cut(p, "=")
		return strings.EqualFold(strings.TrimSpace(key), name)
	})
	if to != "" {
		parts = append(parts, name+"="+to)
	}
	return strings.Join(parts, ";")
}

// end ends the rules and dates of a series before an occurrence.
func (c *Calendar) end(t target) {
	e, s := t.master, c.File.style
	last := t.instance
	last.wall = last.wall.Add(-time.Second)
	if last.date {
		last.wall = t.instance.wall.AddDate(0, 0, -1)
	} else if last.zone != nil {
		last.wall, last.zone = last.instant(c.reader).UTC(), time.UTC
	}
	for i := range e.c.items {
		if e.c.items[i].name == "RRULE" {
			line := unfold(e.c.items[i].raw)
			value := setPart(setPart(property(line).Value, "COUNT", ""), "UNTIL", last.value())
			e.c.items[i].raw = s.fold(replaceValue(line, value))
		}
	}
	c.filterDates(t, e.c, false)
}

// filterDates keeps the dates in RDATE and EXDATE that are before the occurrence, or the others.
func (c *Calendar) filterDates(t target, e *Component, onward bool) {
	kept := e.items[:0]
	for _, i := range e.items {
		if i.name == "RDATE" || i.name == "EXDATE" {
			line := unfold(i.raw)
			all := c.zones.moments(line)
			values := strings.Split(property(line).Value, ",")
			if len(all) == len(values) {
				var left []string
				for n, m := range all {
					if (t.key(m.moment, c.reader) >= t.key(t.instance, c.reader)) == onward {
						left = append(left, values[n])
					}
				}
				if len(left) == 0 {
					continue
				}
				if len(left) < len(values) {
					i.raw = c.File.style.fold(replaceValue(line, strings.Join(left, ",")))
				}
			}
		}
		kept = append(kept, i)
	}
	e.items = kept
}

// split ends a series before an occurrence, and returns a new event that goes on from there. The
// changed events of later occurrences go with it.
func (c *Calendar) split(t target, ed Edit) (*Component, error) {
	s, e := c.File.style, t.master
	rest := e.c.copyWithout()
	for i := range rest.items {
		if rest.items[i].name != "RRULE" {
			continue
		}
		line := unfold(rest.items[i].raw)
		r, err := parseRule(property(line).Value, e.start.wall, e.start.zone)
		if err != nil {
			return nil, err
		}
		if r.Count > 0 {
			before, more := r.between(e.start.wall, t.instance.wall, MaxOccurrences)
			if more || len(before) >= r.Count {
				return nil, fmt.Errorf("its dates can't be counted; give its new rule with the scope %q", ScopeAll)
			}
			value := setPart(property(line).Value, "COUNT", strconv.Itoa(r.Count-len(before)))
			rest.items[i].raw = s.fold(replaceValue(line, value))
		}
	}
	c.move(rest, e.start, t.instance, false)
	c.filterDates(t, rest, true)
	rest.set(s, "UID", "UID:"+ed.NewUID)
	for _, later := range t.from(t.instance, c.reader) {
		later.c.set(s, "UID", "UID:"+ed.NewUID)
	}
	c.end(t)
	e.c.touch(s, ed.Now)
	c.File.parentOf(e.c).insert(rest, e.c)
	return rest, nil
}
