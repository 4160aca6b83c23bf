package calendar

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// large returns a calendar of n events, of which each third repeats.
func large(n int) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n")
	for i := range n {
		at := time.Date(2020+i%8, 1, 1+i%365, i%24, 0, 0, 0, time.UTC)
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d@example.org\r\nDTSTAMP:20260101T000000Z\r\n"+
			"DTSTART;TZID=Europe/Berlin:%s\r\nDTEND;TZID=Europe/Berlin:%s\r\nSUMMARY:Event %d\r\nLOCATION:Room %d\r\n"+
			"DESCRIPTION:A few words about it\\, and a second line\\nthat is longer than the\r\n  first one.\r\n",
			i, at.Format(timeLayout), at.Add(time.Hour).Format(timeLayout), i, i%40)
		switch i % 9 {
		case 0:
			b.WriteString("RRULE:FREQ=WEEKLY\r\n")
		case 3:
			b.WriteString("RRULE:FREQ=MONTHLY;BYDAY=2TU\r\nEXDATE;TZID=Europe/Berlin:20261208T100000\r\n")
		case 6:
			b.WriteString("RRULE:FREQ=YEARLY\r\n")
		}
		b.WriteString("END:VEVENT\r\n")
	}
	return b.String() + "END:VCALENDAR\r\n"
}

func BenchmarkCalendar_Events(b *testing.B) {
	text, zone := large(5000), mustZone(b, "Europe/Berlin")
	from := time.Date(2026, 12, 1, 0, 0, 0, 0, zone)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if found := New(f, zone).Between(from, from.AddDate(0, 1, 0)); len(found.List) == 0 || found.Cut != nil {
			b.Fatal(len(found.List), found.Cut)
		}
	}
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

var update = flag.Bool("update", false, "rewrite testdata/calendars.txt")

// TestCalendars_OddCases_HaveTheirOccurrences reads the calendars of testdata/calendars.txt.
func TestCalendars_OddCases_HaveTheirOccurrences(t *testing.T) {
	raw, err := os.ReadFile("testdata/calendars.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(raw), "\n== ")
	if len(cases) < 60 {
		t.Errorf("there are %d calendars", len(cases)-1)
	}
	for i, text := range cases[1:] {
		head, rest, _ := strings.Cut(text, "\n")
		lines, want, found := strings.Cut(rest, "--\n")
		name, span, _ := strings.Cut(head, " | ")
		words := strings.Fields(span)
		if !found || len(words) != 3 {
			t.Fatalf("%s: want a zone, two days and a line --", name)
		}
		zone := mustZone(t, words[0])
		from, err1 := time.ParseInLocation(time.DateOnly, words[1], zone)
		to, err2 := time.ParseInLocation(time.DateOnly, words[2], zone)
		if err1 != nil || err2 != nil {
			t.Fatal(name, err1, err2)
		}
		file := calendarOf(lines)
		f, err := Parse(file)
		if err != nil || f.String() != file {
			t.Fatalf("%s: the file is not read back: %v", name, err)
		}
		got := listText(New(f, zone).Between(from, to.AddDate(0, 0, 1)), zone)
		if got != strings.TrimSpace(want) && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		cases[i+1] = head + "\n" + lines + "--\n" + got + "\n"
	}
	if *update {
		if err := os.WriteFile("testdata/calendars.txt", []byte(strings.Join(cases, "\n== ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// calendarOf returns a calendar of the lines of a case.
func calendarOf(lines string) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\n")
	open := ""
	for line := range strings.Lines(lines) {
		line = strings.TrimRight(line, "\n")
		next := ""
		if line == "VEVENT" || line == "VTIMEZONE" {
			next, line = line, ""
		} else if open == "" {
			next = "VEVENT"
		}
		if next != "" {
			if open != "" {
				b.WriteString("END:" + open + "\r\n")
			}
			open = next
			b.WriteString("BEGIN:" + open + "\r\n")
		}
		if line != "" {
			b.WriteString(line + "\r\n")
		}
	}
	return b.String() + "END:" + open + "\r\nEND:VCALENDAR\r\n"
}

// listText returns occurrences in lines, and what is not shown.
func listText(found Occurrences, zone *time.Location) string {
	var b strings.Builder
	for i, o := range found.List {
		if i == 10 {
			fmt.Fprintf(&b, "... %d more\n", len(found.List)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s", o.When(zone), o.Title())
		if o.Instance != "" {
			fmt.Fprintf(&b, " [%s]", o.Instance)
		}
		if o.Cancelled() {
			b.WriteString(" cancelled")
		}
		b.WriteString("\n")
	}
	for _, w := range []struct {
		text  string
		names []string
	}{{"cut", found.Cut}, {"unread", found.Unread}, {"zone", found.Zones}} {
		for _, name := range w.names {
			fmt.Fprintf(&b, "! %s: %s\n", w.text, name)
		}
	}
	return strings.TrimSpace(b.String())
}
