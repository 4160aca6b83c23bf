package calendar

import (
	"fmt"
	"strings"
	"time"
)

// needZone adds the rules of a zone to the file, because other programs may not know its name.
func (c *Calendar) needZone(zone *time.Location) {
	if zone == nil || zone == time.UTC {
		return
	}
	for _, z := range c.File.in("VTIMEZONE") {
		if property(z.line("TZID")).Value == zone.String() {
			return
		}
	}
	v, s := c.calendarFor(), c.File.style
	z := &Component{Name: "VTIMEZONE", begin: "BEGIN:VTIMEZONE" + s.newline, end: "END:VTIMEZONE" + s.newline}
	z.add(s, "TZID:"+zone.String())
	for _, o := range observances(zone) {
		part := &Component{Name: o.name, begin: "BEGIN:" + o.name + s.newline, end: "END:" + o.name + s.newline}
		for _, line := range o.lines {
			part.add(s, line)
		}
		z.insert(part, nil)
	}
	at := 0
	for at < len(v.items) && v.items[at].child == nil {
		at++
	}
	v.items = append(v.items[:at:at], append([]item{{child: z}}, v.items[at:]...)...)
}

// written is a STANDARD or DAYLIGHT to be written.
type written struct {
	name  string
	lines []string
}

// Years that the written rules of a zone are derived from.
const (
	zoneFrom = 2010
	zoneTo   = 2037
)

// observances returns the rules of a zone. A zone that changes its clocks by the same rule each
// year has two of them. Each other change is written by itself.
func observances(zone *time.Location) (list []written) {
	begin := time.Date(zoneFrom, 1, 1, 0, 0, 0, 0, zone)
	_, offset := begin.Zone()
	list = append(list, newObservance(begin, offset, offset, "STANDARD", ""))
	changes := changesOf(zone)
	done := map[bool]bool{}
	for _, at := range changes {
		_, before := at.Add(-time.Second).Zone()
		_, after := at.Zone()
		wall := at.UTC().Add(time.Duration(before) * time.Second)
		name := map[bool]string{true: "DAYLIGHT", false: "STANDARD"}[at.IsDST()]
		if rule := yearly(changes, at); rule != "" {
			if !done[at.IsDST()] {
				done[at.IsDST()] = true
				list = append(list, newObservance(wall, before, after, name, rule))
			}
			continue
		}
		list = append(list, newObservance(wall, before, after, name, ""))
	}
	return list
}

func newObservance(wall time.Time, before, after int, name, rule string) written {
	lines := []string{"DTSTART:" + wall.Format(timeLayout), "TZOFFSETFROM:" + offsetText(before),
		"TZOFFSETTO:" + offsetText(after)}
	if rule != "" {
		lines = append(lines, "RRULE:"+rule)
	}
	return written{name, lines}
}

func offsetText(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	text := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}

// changesOf returns the instants at which a zone changes its offset.
func changesOf(zone *time.Location) (list []time.Time) {
	at := time.Date(zoneFrom, 1, 1, 0, 0, 0, 0, zone)
	for {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.Year() > zoneTo {
			return list
		}
		_, before := next.Add(-time.Second).Zone()
		if _, after := next.Zone(); after != before {
			list = append(list, next)
		}
		at = next
	}
}

// yearly returns the rule by which a change comes in each later year; "" means that there is none.
func yearly(changes []time.Time, first time.Time) string {
	same := func(rule func(time.Time) string) string {
		want, next := rule(wallBefore(first)), first.Year()
		for _, at := range changes {
			if at.Before(first) || at.IsDST() != first.IsDST() {
				continue
			}
			if rule(wallBefore(at)) != want || at.Year() != next || wallBefore(at).Hour() != wallBefore(first).Hour() {
				return ""
			}
			next++
		}
		if next <= zoneTo || next < first.Year()+3 {
			return ""
		}
		return want
	}
	day := func(at time.Time) string { return strings.ToUpper(at.Weekday().String()[:2]) }
	if rule := same(func(at time.Time) string {
		if at.Day()+7 <= daysIn(at.Year(), at.Month()) {
			return "?"
		}
		return fmt.Sprintf("FREQ=YEARLY;BYMONTH=%d;BYDAY=-1%s", at.Month(), day(at))
	}); rule != "" && rule != "?" {
		return rule
	}
	return same(func(at time.Time) string {
		return fmt.Sprintf("FREQ=YEARLY;BYMONTH=%d;BYDAY=%d%s", at.Month(), (at.Day()-1)/7+1, day(at))
	})
}

// wallBefore returns the wall time of a change by the offset before it.
func wallBefore(at time.Time) time.Time {
	_, before := at.Add(-time.Second).Zone()
	return at.UTC().Add(time.Duration(before) * time.Second)
}
