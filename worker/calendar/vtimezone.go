package calendar

import (
	"encoding/binary"
	"slices"
	"time"
)

// Bounds of the rules of one zone.
const (
	maxObservances = 200
	firstZoneYear  = 1970
	lastZoneYear   = 2070
)

// transition is a change of a zone's offset.
type transition struct {
	at     time.Time
	offset int // seconds east of UTC, from then on
	summer bool
}

// readZone makes a zone of a VTIMEZONE; nil means that its rules can't be read.
func readZone(id string, c *Component) *time.Location {
	var all []transition
	first, before := time.Time{}, 0
	for i, part := range slices.Concat(c.components("STANDARD"), c.components("DAYLIGHT")) {
		if i == maxObservances {
			break
		}
		list, from, ok := observance(part)
		if !ok {
			return nil
		}
		if all = append(all, list...); first.IsZero() || len(list) > 0 && list[0].at.Before(first) {
			first, before = list[0].at, from
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b transition) int { return a.at.Compare(b.at) })
	zone, err := time.LoadLocationFromTZData(id, zoneData(before, all))
	if err != nil {
		return nil
	}
	return zone
}

// observance returns the transitions of a STANDARD or DAYLIGHT, with the offset before each.
func observance(c *Component) (list []transition, from int, ok bool) {
	start, dated := parseMoment(property(c.line("DTSTART")).Value, nil)
	from, hasFrom := parseOffset(property(c.line("TZOFFSETFROM")).Value)
	to, hasTo := parseOffset(property(c.line("TZOFFSETTO")).Value)
	if !dated || !hasFrom || !hasTo {
		return nil, 0, false
	}
	walls := []time.Time{start.wall}
	fixed := time.FixedZone("", from)
	if value := property(c.line("RRULE")).Value; value != "" {
		r, err := parseRule(value, start.wall, fixed)
		if err != nil {
			return nil, 0, false
		}
		begin := time.Date(firstZoneYear, 1, 1, 0, 0, 0, 0, time.UTC)
		more, _ := r.between(begin, begin.AddDate(lastZoneYear-firstZoneYear, 0, 0), MaxOccurrences)
		walls = append(walls, more...)
	}
	z := zones{}
	for _, i := range c.items {
		if i.name == "RDATE" {
			for _, m := range z.moments(unfold(i.raw)) {
				walls = append(walls, m.wall)
			}
		}
	}
	slices.SortFunc(walls, time.Time.Compare)
	for _, wall := range slices.Compact(walls) {
		list = append(list, transition{wall.Add(-time.Duration(from) * time.Second), to, c.Name == "DAYLIGHT"})
	}
	return list, from, true
}

// parseOffset reads an offset such as +0100 or -033045, in seconds.
func parseOffset(text string) (seconds int, ok bool) {
	if len(text) != 5 && len(text) != 7 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	var parts [3]int
	for i := range len(text) - 1 {
		c := text[i+1]
		if c < '0' || c > '9' {
			return 0, false
		}
		parts[i/2] = parts[i/2]*10 + int(c-'0')
	}
	if seconds = parts[0]*3600 + parts[1]*60 + parts[2]; seconds > 24*3600 {
		return 0, false
	}
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// zoneData returns a zone in the format of tzdata's files (RFC 8536).
func zoneData(before int, all []transition) []byte {
	type kind struct {
		offset int
		summer bool
	}
	kinds := []kind{{before, false}} // the first kind holds before the first transition
	var times, indexes []byte
	for _, t := range all {
		k := kind{t.offset, t.summer}
		i := slices.Index(kinds[1:], k) + 1
		if i == 0 {
			i = len(kinds)
			kinds = append(kinds, k)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(t.at.Unix()))
		indexes = append(indexes, byte(i))
	}
	header := func(counts ...uint32) []byte {
		b := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range counts {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	data := append(header(0, 0, 0, 0, 0, 0), header(0, 0, 0, uint32(len(all)), uint32(len(kinds)), 1)...)
	data = append(append(data, times...), indexes...)
	for _, k := range kinds {
		data = binary.BigEndian.AppendUint32(data, uint32(int32(k.offset)))
		summer := byte(0)
		if k.summer {
			summer = 1
		}
		data = append(data, summer, 0)
	}
	return append(data, 0, '\n', '\n')
}
