package calendar

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// series is an event with the changed events of its occurrences.
type series struct {
	uid     string
	master  *event   // nil means that the file has only changed occurrences
	changed []*event // one for each occurrence at most, the earliest first
	onward  []*event // those of changed that change all later occurrences too
}

// Calendar is a file with its events, as a reader in one zone sees them.
type Calendar struct {
	// Name is the name of a subscribed calendar, which others write; "" means the user's own.
	Name   string
	File   *File
	reader *time.Location
	zones  zones
	series []*series
	byUID  map[string]*series
	broken []string // titles of events whose start can't be read
}

// New reads the events of a file. Floating times are in the reader's zone.
func New(f *File, reader *time.Location) *Calendar {
	c := &Calendar{File: f, reader: reader, zones: zones{file: f}, byUID: map[string]*series{}}
	components := f.in("VEVENT")
	events := make([]event, 0, len(components))
	for _, component := range components {
		e, ok := c.zones.event(component)
		if !ok {
			c.broken = append(c.broken, oneLine(component.text("SUMMARY")))
			continue
		}
		events = append(events, e)
		c.add(&events[len(events)-1])
	}
	for _, s := range c.series {
		if len(s.changed) > 0 {
			s.sort(c.reader)
		}
	}
	return c
}

// add adds an event to its series. Of two events for the same thing, that with the higher sequence
// counts, else the later one in the file.
func (c *Calendar) add(e *event) {
	s := c.byUID[e.uid]
	if s == nil || e.uid == "" {
		s = &series{uid: e.uid}
		c.series = append(c.series, s)
		if e.uid != "" {
			c.byUID[e.uid] = s
		}
	}
	if e.changes {
		s.changed = append(s.changed, e)
		return
	}
	if s.master == nil || e.sequence >= s.master.sequence {
		s.master = e
	}
}

// sort sorts the changed events by the time that they replace.
func (s *series) sort(reader *time.Location) {
	key := func(e *event) int64 { return s.key(e.instance, reader) }
	slices.SortStableFunc(s.changed, func(a, b *event) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.sequence, b.sequence))
	})
	last := s.changed[:0]
	for i, e := range s.changed {
		if i+1 < len(s.changed) && key(s.changed[i+1]) == key(e) {
			continue
		}
		if last = append(last, e); e.onward {
			s.onward = append(s.onward, e)
		}
	}
	s.changed = last
}

// first returns the event that gives the series its clock.
func (s *series) first() *event {
	if s.master != nil {
		return s.master
	}
	return s.changed[0]
}

// key returns a number that identifies an occurrence, however its time is written.
func (s *series) key(m moment, reader *time.Location) int64 {
	of := s.first().start
	if of.date || m.date {
		y, month, d := m.wall.Date()
		return time.Date(y, month, d, 0, 0, 0, 0, time.UTC).Unix()
	}
	return m.instant(reader).Unix()
}

// excluded are the times at which the series has no occurrence.
type excluded struct {
	times map[int64]bool
	days  map[int64]bool // days without any occurrence, by their start on the wall
}

func (x excluded) has(s *series, wall time.Time, reader *time.Location) bool {
	if x.times == nil && x.days == nil {
		return false
	}
	y, m, d := wall.Date()
	if x.days[time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()] {
		return true
	}
	of := s.first().start
	return x.times[s.key(moment{wall: wall, zone: of.zone, date: of.date}, reader)]
}

func (x *excluded) add(key int64, day bool) {
	to := &x.times
	if day {
		to = &x.days
	}
	if *to == nil {
		*to = map[int64]bool{}
	}
	(*to)[key] = true
}

// MaxTotalSteps bounds the days and times that all rules of a file together may examine.
const MaxTotalSteps = 40 * MaxSteps

// search is one computation of occurrences.
type search struct {
	*Calendar
	from, to time.Time
	steps    int // of all rules
	found    Occurrences
}

// walls returns the wall times of the rules and dates of a series between two wall times, with the
// excluded times and the lengths that single dates have. Changed events are not considered.
func (q *search) walls(s *series, from, to time.Time) (list []time.Time, x excluded,
	lengths map[time.Time]time.Duration) {
	e := s.master
	zone := e.zone(q.reader)
	var without []time.Time
	for i := range e.c.items {
		it := &e.c.items[i]
		switch it.name {
		case "RRULE", "EXRULE":
			times := q.rule(e, unfold(it.raw), zone, from, to)
			if it.name == "EXRULE" {
				without = append(without, times...)
				break
			}
			list = append(list, times...)
		case "RDATE":
			for _, m := range q.zones.moments(unfold(it.raw)) {
				wall := q.dateOf(e, m.moment)
				if list = append(list, wall); m.length > 0 && lengths == nil {
					lengths = map[time.Time]time.Duration{}
				}
				if m.length > 0 {
					lengths[wall] = m.length
				}
			}
		case "EXDATE":
			for _, m := range q.zones.moments(unfold(it.raw)) {
				x.add(s.key(m.moment, q.reader), m.date || e.start.date)
			}
		}
	}
	for _, wall := range without {
		x.add(s.key(moment{wall: wall, zone: e.start.zone, date: e.start.date}, q.reader), false)
	}
	list = append(list, e.start.wall)
	slices.SortFunc(list, time.Time.Compare)
	return slices.Compact(list), x, lengths
}

// dateOf returns the wall time of an additional date of an event.
func (q *search) dateOf(e *event, m moment) time.Time {
	if !e.start.date && !m.date {
		return wallOf(m.instant(q.reader), e.zone(q.reader))
	}
	y, month, d := m.wall.Date()
	hour, minute, second := e.start.wall.Clock()
	return time.Date(y, month, d, hour, minute, second, 0, time.UTC)
}

// rule returns the wall times of one rule of an event.
func (q *search) rule(e *event, line string, zone *time.Location, from, to time.Time) []time.Time {
	if e.start.date {
		zone = nil
	}
	r, err := parseRule(property(line).Value, e.start.wall, zone)
	if err != nil {
		q.found.Unread = append(q.found.Unread, oneLine(e.c.text("SUMMARY")))
		return nil
	}
	if q.steps > MaxTotalSteps {
		q.cut(e)
		return nil
	}
	list, more := r.between(from, to, MaxOccurrences)
	q.steps += r.steps
	if more {
		q.cut(e)
	}
	return list
}

func (q *search) cut(e *event) {
	if title := oneLine(e.c.text("SUMMARY")); !slices.Contains(q.found.Cut, title) {
		q.found.Cut = append(q.found.Cut, title)
	}
}

// add adds the occurrences of a series.
func (q *search) add(s *series) {
	var done excluded
	for _, e := range s.changed {
		done.add(s.key(e.instance, q.reader), e.instance.date)
		o := e.occurrence(e.start.wall, q.reader)
		o.Moved, o.Instance = true, s.instance(e.instance, q.reader)
		q.put(o)
	}
	if s.master == nil {
		return
	}
	if !s.master.repeats {
		if q.mayHave(s.master) && !done.has(s, s.master.start.wall, q.reader) {
			q.put(s.master.occurrence(s.master.start.wall, q.reader))
		}
		return
	}
	from, to := s.reach(q)
	list, x, lengths := q.walls(s, from, to)
	for _, wall := range list {
		of := s.master.start
		key := s.key(moment{wall: wall, zone: of.zone, date: of.date}, q.reader)
		if done.has(s, wall, q.reader) || x.has(s, wall, q.reader) {
			continue
		}
		e, at := s.at(key, wall, q.reader)
		o := e.occurrence(at, q.reader)
		if o.Instance = instanceName(wall, of.date); lengths[wall] > 0 {
			o.End = o.Start.Add(lengths[wall])
		}
		q.put(o)
	}
}

// mayHave reports whether an event that does not repeat may overlap the searched span. It needs no
// zone.
func (q *search) mayHave(e *event) bool {
	const zones = 48 * time.Hour
	return e.start.wall.Before(q.to.Add(zones)) && e.start.wall.Add(e.length+zones).After(q.from)
}

// instance returns the name of the occurrence that a changed event replaces.
func (s *series) instance(m moment, reader *time.Location) string {
	of := s.first()
	if !of.start.date && !m.date {
		m.wall = wallOf(m.instant(reader), of.zone(reader))
	}
	return instanceName(m.wall, of.start.date || m.date)
}

// reach returns the wall times between which occurrences may overlap the searched span.
func (s *series) reach(q *search) (from, to time.Time) {
	zone, length, shift := s.master.zone(q.reader), s.master.length, time.Duration(0)
	for _, e := range s.onward {
		length = max(length, e.length)
		shift = max(shift, e.start.instant(q.reader).Sub(e.instance.instant(q.reader)).Abs())
	}
	shift = min(shift, 366*24*time.Hour) + 25*time.Hour
	return wallOf(q.from, zone).Add(-length - shift), wallOf(q.to, zone).Add(shift)
}

// at returns the event that gives an occurrence of the rule its values, and its wall time. An
// earlier event may have changed all later ones.
func (s *series) at(key int64, wall time.Time, reader *time.Location) (*event, time.Time) {
	var by *event
	for _, e := range s.onward {
		if s.key(e.instance, reader) <= key {
			by = e
		}
	}
	if by == nil {
		return s.master, wall
	}
	old := wallOf(by.instance.instant(reader), s.master.zone(reader))
	if by.instance.date || by.start.date {
		old = by.instance.wall
	}
	moved := by.start.wall.Sub(old)
	if by.start.zone != s.master.start.zone && !by.start.date && by.start.zone != nil {
		at := onWall(wall, s.master.zone(reader)).Add(by.start.instant(reader).Sub(by.instance.instant(reader)))
		return by, wallOf(at, by.start.zone)
	}
	return by, wall.Add(moved)
}

// put adds an occurrence if it has a part in the searched span.
func (q *search) put(o Occurrence) {
	if !o.overlaps(q.from, q.to) {
		return
	}
	o.Calendar = q.Name
	if q.found.List = append(q.found.List, o); len(q.found.List) >= 4*MaxOccurrences {
		q.found.shorten()
	}
}

// Occurrences are the events in a span of time, the earliest first.
type Occurrences struct {
	List   []Occurrence
	More   bool     // there are more than MaxOccurrences; the earliest are listed
	Cut    []string // titles of repeated events that were not followed to the end of the span
	Unread []string // titles of events whose times or rules can't be read
	Zones  []string // zones that are not known; their times are read in the reader's zone
	Until  time.Time
}

// shorten sorts the list and keeps the earliest.
func (f *Occurrences) shorten() {
	slices.SortFunc(f.List, func(a, b Occurrence) int {
		return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), strings.Compare(a.UID, b.UID),
			strings.Compare(a.Instance, b.Instance))
	})
	if len(f.List) > MaxOccurrences {
		f.List, f.More = f.List[:MaxOccurrences], true
	}
}

// Between returns the occurrences that have a part between two instants. A span beyond MaxSpan is
// cut: Until is where the result ends.
func (c *Calendar) Between(from, to time.Time) Occurrences {
	if to.Sub(from) > MaxSpan || to.Year()-from.Year() > 10 {
		to = from.Add(MaxSpan)
	}
	q := &search{Calendar: c, from: from, to: to}
	for _, s := range c.series {
		q.add(s)
	}
	q.found.shorten()
	q.found.Unread = append(q.found.Unread, c.broken...)
	q.found.Zones, q.found.Until = c.zones.missing, to
	return q.found
}
