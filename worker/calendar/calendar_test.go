package calendar

import (
	"fmt"
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
