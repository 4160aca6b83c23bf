package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// kept are the properties of a sent event that Clean keeps.
var kept = []string{"UID", "SEQUENCE", "DTSTAMP", "SUMMARY", "LOCATION", "DESCRIPTION", "DTSTART", "DTEND", "DURATION",
	"RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID", "STATUS", "TRANSP", "ORGANIZER", "URL", "CATEGORIES", "CLASS"}

// Bounds of a sent calendar.
const (
	MaxImported      = 5_000    // events
	maxImportedBytes = 64 << 10 // of one content line
	maxTitles        = 10       // events that Imported names
)

// Clean returns a sent calendar with its events and zones alone, in plain lines. Alarms, files and
// private properties are left out. An event without a UID gets one. n is the number of events.
func Clean(text string) (clean string, n int, err error) {
	f, err := Parse(strings.ToValidUTF8(text, "\ufffd"))
	if err != nil {
		return "", 0, err
	}
	s := style{newline: "\r\n", space: " ", width: defaultWidth}
	v := &Component{Name: "VCALENDAR", begin: "BEGIN:VCALENDAR\r\n", end: "END:VCALENDAR\r\n"}
	v.add(s, "VERSION:2.0")
	for _, c := range f.root.components("VCALENDAR") {
		if method := property(c.line("METHOD")).Value; strings.EqualFold(strings.TrimSpace(method), "CANCEL") {
			v.set(s, "METHOD", "METHOD:CANCEL")
		}
	}
	zones := map[string]bool{}
	for _, z := range f.in("VTIMEZONE") {
		if id := property(z.line("TZID")).Value; !zones[id] && len(zones) < maxZones {
			zones[id] = true
			v.insert(z.clean(s, nil), nil)
		}
	}
	for _, e := range f.in("VEVENT") {
		if n == MaxImported {
			break
		}
		one := e.clean(s, kept)
		if one.line("DTSTART") == "" {
			continue
		}
		if strings.TrimSpace(property(one.line("UID")).Value) == "" {
			sum := sha256.Sum256([]byte(one.Text()))
			one.set(s, "UID", "UID:"+hex.EncodeToString(sum[:16]))
		}
		v.insert(one, nil)
		n++
	}
	return v.Text(), n, nil
}

// clean returns a component with some properties alone; nil means all. Lines that are no content
// lines are left out, and so are components in an event.
func (c *Component) clean(s style, names []string) *Component {
	to := &Component{Name: c.Name, begin: "BEGIN:" + c.Name + s.newline, end: "END:" + c.Name + s.newline}
	for _, i := range c.items {
		switch {
		case i.child != nil && names == nil && (i.child.Name == "STANDARD" || i.child.Name == "DAYLIGHT"):
			to.items = append(to.items, item{child: i.child.clean(s, names)})
		case i.child != nil || i.name == "" || names != nil && !slices.Contains(names, i.name):
		default:
			if line := strings.Map(dropControl, unfold(i.raw)); len(line) <= maxImportedBytes {
				to.items = append(to.items, item{raw: s.fold(line), name: i.name})
			}
		}
	}
	return to
}

// Imported counts what an import has done, in events.
type Imported struct {
	Added, Changed, Cancelled int
	Same                      int // the calendar has them, or a newer version
	Titles                    []string
}

// Import adds the events of a calendar that Clean has made. Of an event that is there, the version
// with the higher SEQUENCE counts, and of two equal ones that with the later DTSTAMP. Alarms of a
// replaced event stay.
func (c *Calendar) Import(clean string) (r Imported, err error) {
	f, err := Parse(clean)
	if err != nil {
		return r, err
	}
	cancels := false
	for _, v := range f.root.components("VCALENDAR") {
		cancels = cancels || property(v.line("METHOD")).Value == "CANCEL"
	}
	there := c.versions()
	for _, e := range f.in("VEVENT") {
		c.importOne(e, cancels, there, &r)
	}
	if r.Added+r.Changed > 0 {
		for _, z := range f.in("VTIMEZONE") {
			c.importZone(z)
		}
	}
	return r, nil
}

// versionKey names an event or one changed occurrence of it.
type versionKey struct{ uid, instance string }

func keyOf(e *Component) versionKey {
	return versionKey{strings.TrimSpace(property(e.line("UID")).Value), property(e.line("RECURRENCE-ID")).Value}
}

func (c *Calendar) versions() map[versionKey]*Component {
	list := map[versionKey]*Component{}
	for _, e := range c.File.in("VEVENT") {
		list[keyOf(e)] = e
	}
	return list
}

func (c *Calendar) importOne(e *Component, cancels bool, there map[versionKey]*Component, r *Imported) {
	key := keyOf(e)
	old := there[key]
	title := oneLine(e.text("SUMMARY"))
	cancels = cancels || strings.EqualFold(e.text("STATUS"), "CANCELLED")
	switch {
	case old == nil && cancels && key.instance == "":
		r.Same++
		return
	case old != nil && !isNewer(e, old):
		r.Same++
		return
	case cancels:
		e.set(c.File.style, "STATUS", "STATUS:CANCELLED")
		r.Cancelled++
	case old == nil:
		r.Added++
	default:
		r.Changed++
	}
	if len(r.Titles) < maxTitles {
		r.Titles = append(r.Titles, title)
	}
	s := c.File.style
	one := &Component{Name: "VEVENT", begin: "BEGIN:VEVENT" + s.newline, end: "END:VEVENT" + s.newline}
	for _, i := range e.items {
		one.items = append(one.items, item{raw: s.fold(unfold(i.raw)), name: i.name})
	}
	one.set(s, foreignMark, foreignMark+":TRUE")
	if old == nil {
		c.calendarFor().insert(one, nil)
	} else {
		for _, alarm := range old.components("VALARM") {
			one.items = append(one.items, item{child: alarm})
		}
		c.File.parentOf(old).insert(one, old)
		c.File.root.remove(old)
	}
	there[key] = one
}

// isNewer reports whether a sent event is newer than that in the calendar.
func isNewer(sent, old *Component) bool {
	number := func(e *Component) int {
		n, _ := strconv.Atoi(strings.TrimSpace(property(e.line("SEQUENCE")).Value))
		return n
	}
	if a, b := number(sent), number(old); a != b {
		return a > b
	}
	stamp := func(e *Component) string { return strings.TrimSpace(property(e.line("DTSTAMP")).Value) }
	return stamp(sent) > stamp(old)
}

// importZone adds the rules of a zone that the file does not have.
func (c *Calendar) importZone(z *Component) {
	id := property(z.line("TZID")).Value
	for _, own := range c.File.in("VTIMEZONE") {
		if property(own.line("TZID")).Value == id {
			return
		}
	}
	v := c.calendarFor()
	at := slices.IndexFunc(v.items, func(i item) bool { return i.child != nil })
	copied, err := Parse(strings.ReplaceAll(z.Text(), "\r\n", c.File.style.newline))
	if err == nil && len(copied.root.items) == 1 {
		v.items = slices.Insert(v.items, max(at, 0), copied.root.items[0])
	}
}

// Export returns a calendar with some events alone, for other programs. Alarms and private marks
// are left out.
func (c *Calendar) Export(uids []string) string {
	s := style{newline: "\r\n", space: " ", width: defaultWidth}
	v := &Component{Name: "VCALENDAR", begin: "BEGIN:VCALENDAR\r\n", end: "END:VCALENDAR\r\n"}
	v.add(s, "VERSION:2.0")
	v.add(s, "PRODID:-//Mews//Calendar//EN")
	var events []*Component
	text := ""
	for _, e := range c.File.in("VEVENT") {
		if slices.Contains(uids, strings.TrimSpace(property(e.line("UID")).Value)) {
			one := e.clean(s, kept)
			events = append(events, one)
			text += one.Text()
		}
	}
	for _, z := range c.File.in("VTIMEZONE") {
		if id := property(z.line("TZID")).Value; strings.Contains(text, id) {
			v.insert(z.clean(s, nil), nil)
		}
	}
	for _, e := range events {
		v.insert(e, nil)
	}
	return v.Text()
}
