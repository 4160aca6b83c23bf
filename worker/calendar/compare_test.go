package calendar

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// compared is a calendar for the other programs.
type compared struct {
	Text string `json:"text"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Year int    `json:"year"` // last year of the span
}

var comparedZones = []string{"Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "UTC"}

// newCompared generates a calendar with one event that repeats.
func newCompared(t *testing.T, r *rand.Rand, zoneName string) (c compared) {
	zone := mustZone(t, zoneName)
	file, _ := Parse("")
	cal := New(file, zone)
	start := moment{wall: time.Date(2024+r.IntN(2), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), 15*r.IntN(4),
		0, 0,
		time.UTC), zone: zone}
	date, floating := r.IntN(5) == 0, r.IntN(8) == 0
	if date {
		start = moment{wall: start.wall.Truncate(24 * time.Hour), date: true}
	} else if floating {
		start.zone = nil
	}
	rule := ""
	for rule == "" || strings.Contains(rule, "HOURLY") || strings.Contains(rule, "MINUTELY") ||
		date && strings.Contains(rule, "BYHOUR") || date && strings.Contains(rule, "BYMINUTE") {
		rule = randomRule(r)
	}
	if !strings.Contains(rule, "COUNT") && r.IntN(3) == 0 {
		until := moment{wall: start.wall.AddDate(r.IntN(4), r.IntN(6), 0), zone: start.zone, date: date}
		if !date && !floating {
			until = moment{wall: until.instant(zone).UTC(), zone: time.UTC}
		}
		rule += ";UNTIL=" + until.value()
	}
	p, err := parseRule(rule, start.wall, start.zone)
	if err != nil {
		t.Fatal(rule, err)
	}
	// The start is the first occurrence of its rule, because programs differ if it is not.
	for range 2 {
		list, _ := p.between(start.wall.Add(time.Second), start.wall.AddDate(5, 0, 0), 1)
		if len(list) == 1 {
			start.wall = list[0]
		}
		if p, err = parseRule(rule, start.wall, start.zone); err != nil {
			t.Fatal(err)
		}
	}
	s := defaultStyle
	e := &Component{Name: "VEVENT", begin: "BEGIN:VEVENT\r\n", end: "END:VEVENT\r\n"}
	for _, line := range []string{"UID:1", "DTSTAMP:20260101T000000Z", "SUMMARY:x"} {
		e.add(s, line)
	}
	e.add(s, cal.dateLine("", moment{}, start, "DTSTART"))
	length := time.Duration(1+r.IntN(4)) * 30 * time.Minute
	if date {
		length = time.Duration(1+r.IntN(2)) * 24 * time.Hour
	}
	if r.IntN(3) == 0 && !date {
		e.add(s, fmt.Sprintf("DURATION:PT%dM", int(length.Minutes())))
	} else {
		end := start
		end.wall = end.wall.Add(length)
		e.add(s, cal.dateLine("", moment{}, end, "DTEND"))
	}
	e.add(s, "RRULE:"+rule)
	list, _ := p.between(start.wall, start.wall.AddDate(3, 0, 0), 40)
	var extra []*Component
	for i, wall := range list {
		m := moment{wall: wall, zone: start.zone, date: date}
		switch {
		case i == 0:
		case r.IntN(12) == 0:
			if !date && !floating && r.IntN(2) == 0 {
				m = moment{wall: m.instant(zone).UTC(), zone: time.UTC}
			}
			e.add(s, cal.dateLine("", moment{}, m, "EXDATE"))
		case r.IntN(12) == 0:
			one := e.copyWithout("RRULE", "RDATE", "EXDATE", "DTSTART", "DTEND", "DURATION")
			moved := m
			moved.wall = m.wall.Add(time.Duration(r.IntN(5)-2) * 24 * time.Hour)
			one.add(s, cal.dateLine("", moment{}, m, "RECURRENCE-ID"))
			one.add(s, cal.dateLine("", moment{}, moved, "DTSTART"))
			moved.wall = moved.wall.Add(length)
			one.add(s, cal.dateLine("", moment{}, moved, "DTEND"))
			extra = append(extra, one)
		}
	}
	if r.IntN(4) == 0 {
		m := moment{wall: start.wall.AddDate(0, r.IntN(20), r.IntN(20)).Add(time.Hour), zone: start.zone, date: date}
		m.wall = map[bool]time.Time{true: m.wall.Truncate(24 * time.Hour), false: m.wall}[date]
		e.add(s, cal.dateLine("", moment{}, m, "RDATE"))
	}
	cal.calendarFor().insert(e, nil)
	for _, one := range extra {
		cal.calendarFor().insert(one, nil)
	}
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c.Text, c.From, c.To, c.Year = file.String(), from.Unix(), from.AddDate(5, 0, 0).Unix(), 2028
	return c
}

// ours returns the occurrences as the other programs write them.
func (c compared) ours(reader *time.Location) (list []string, cut bool) {
	f, _ := Parse(c.Text)
	if !strings.Contains(c.Text, "TZID") {
		reader = time.UTC // other programs know no reader: a floating time is never skipped by the clock
	}
	found := New(f, reader).Between(time.Unix(c.From, 0), time.Unix(c.To, 0))
	for _, o := range found.List {
		text := func(at time.Time) string {
			switch {
			case o.AllDay:
				return at.In(reader).Format(time.DateOnly)
			case o.event.start.zone == nil:
				return at.In(reader).Format("2006-01-02T15:04:05")
			}
			return strconv.FormatInt(at.Unix(), 10)
		}
		list = append(list, text(o.Start)+" "+text(o.End))
	}
	slices.Sort(list)
	return list, found.More || found.Cut != nil
}

// run runs another program, and returns its occurrences that begin in the inner part of the span.
// At the edges programs differ in what belongs to it.
func others(t *testing.T, all []compared, name string, arguments ...string) (lists [][]string) {
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, arguments...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for line := range strings.Lines(out.String()) {
		var pairs [][2]string
		if err := json.Unmarshal([]byte(line), &pairs); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, p := range pairs {
			list = append(list, p[0]+" "+p[1])
		}
		slices.Sort(list)
		lists = append(lists, list)
	}
	return lists
}

// inner keeps the occurrences that begin in 2025 to 2027. Some programs repeat one that is both in
// the rule and an additional date.
func inner(list []string) (kept []string) {
	from, to := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range list {
		start, _, _ := strings.Cut(text, " ")
		at, err := time.Parse(time.DateOnly, start[:min(len(start), 10)])
		if n, notNumber := strconv.ParseInt(start, 10, 64); notNumber == nil {
			at, err = time.Unix(n, 0), nil
		}
		if err != nil || !at.Before(from) && at.Before(to) {
			kept = append(kept, text)
		}
	}
	return slices.Compact(kept)
}

// TestCalendars_Generated_MatchOtherPrograms compares occurrences with ical.js and Python's
// recurring_ical_events. MEWS_CALENDARS is the number of calendars; it needs both programs. Without
// it, the test compares a few calendars if both programs are there. The disagreements are logged.
func TestCalendars_Generated_MatchOtherPrograms(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("MEWS_CALENDARS"))
	js := cmp.Or(os.Getenv("MEWS_ICALJS"), "../../bin/ical.js")
	const python = "/usr/bin/python3"
	if why := missingProgram(js, python); why != "" {
		if n > 0 {
			t.Fatal(why)
		}
		t.Skip("optional: " + why)
	}
	n = cmp.Or(n, 40)
	random := rand.New(rand.NewPCG(7, 11))
	var all []compared
	var zones []string
	for i := range n {
		zones = append(zones, comparedZones[i%len(comparedZones)])
		all = append(all, newCompared(t, random, zones[i]))
	}
	byJS, byPython := others(t, all, "node", "testdata/compare.mjs", js), others(t, all, python, "testdata/compare.py")
	count := map[string]int{}
	for i, c := range all {
		ours, cut := c.ours(mustZone(t, zones[i]))
		if cut {
			count["cut"]++
			continue
		}
		a, b, d := inner(ours), inner(byJS[i]), inner(byPython[i])
		likeJS, likePython, alike := slices.Equal(a, b), slices.Equal(a, d), slices.Equal(b, d)
		key := fmt.Sprintf("like ical.js: %t, like recurring_ical_events: %t, those alike: %t", likeJS, likePython,
			alike)
		if count[key]++; count[key] <= 6 && !(likeJS && likePython) || alike && !likeJS {
			t.Logf("%s\n%s\n ours %v\n   js %v\n   py %v", key, c.Text[strings.Index(c.Text, "BEGIN:VEVENT"):],
				diff(a, b, d), diff(b, a, d), diff(d, a, b))
		}
		if alike && !likeJS {
			t.Errorf("calendar %d: both others agree", i)
		}
	}
	t.Log(count)
}

// missingProgram says what the comparison lacks; "" means nothing.
func missingProgram(js, python string) string {
	if exec.Command(python, "-c", "import recurring_ical_events").Run() != nil {
		return "Debian's python3-recurring-ical-events is not installed"
	}
	if _, err := exec.LookPath("node"); err != nil {
		return "node is not installed"
	}
	if _, err := os.Stat(js + "/dist/ical.js"); err != nil {
		return "npm's ical.js is not here: make deps fetches it"
	}
	return ""
}

// diff returns the first texts of a list that are not in both others.
func diff(list, a, b []string) (only []string) {
	for _, text := range list {
		if !slices.Contains(a, text) || !slices.Contains(b, text) {
			only = append(only, text)
		}
	}
	return only[:min(len(only), 4)]
}
