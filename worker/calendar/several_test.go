package calendar_test

import (
	"fmt"
	"testing"
	"time"

	"mews/worker/calendar"
)

// named returns a calendar with one event of an hour for each start.
func named(t *testing.T, name string, starts ...string) *calendar.Calendar {
	t.Helper()
	text := "BEGIN:VCALENDAR\r\n"
	for i, start := range starts {
		text += fmt.Sprintf("BEGIN:VEVENT\r\nUID:%d\r\nSUMMARY:%s%d\r\nDTSTART:%s\r\nDURATION:PT1H\r\n"+
			"END:VEVENT\r\n", i, name, i,
			start)
	}
	f, err := calendar.Parse(text + "END:VCALENDAR\r\n")
	if err != nil {
		t.Fatal(err)
	}
	c := calendar.New(f, time.UTC)
	c.Name = name
	return c
}

// Events with equal UIDs in different calendars are different events, and only an own and a
// subscribed one overlap.
func TestOverlaps_OwnAndSubscribed_ArePaired(t *testing.T) {
	own := named(t, "", "20261203T100000Z", "20261203T103000Z")
	work := named(t, "work", "20261203T104500Z", "20261203T113000Z", "20261203T120000Z")
	from := time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)
	found := calendar.Between([]*calendar.Calendar{own, work}, from, from.AddDate(0, 0, 1))
	if len(found.List) != 5 || found.List[2].Calendar != "work" || !found.List[2].Foreign() {
		t.Fatalf("found %d events: %+v", len(found.List), found.List)
	}
	got := ""
	for _, pair := range calendar.Overlaps(found.List, 5) {
		got += pair.Ours.Title() + "+" + pair.Other.Title() + " "
	}
	if got != "0+work0 1+work0 " {
		t.Errorf("overlaps: %q", got)
	}
	conflicts := own.Conflicts("1", from, 3, work)
	if len(conflicts) != 2 || conflicts[1].Other.Title() != "work0" {
		t.Errorf("conflicts: %+v", conflicts)
	}
}
