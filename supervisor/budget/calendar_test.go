package budget

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDayBounds_ClockChange_MatchLocalDay(t *testing.T) {
	for _, c := range []struct {
		name, zone, now, start, next string
	}{
		{"an ordinary one", "Europe/Madrid", "2026-11-20T23:30:00Z", "2026-11-20T23:00:00Z", "2026-11-21T23:00:00Z"},
		{"of 23 hours", "Europe/Madrid", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"of 25 hours", "Europe/Madrid", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"that begins at 01:00", "America/Santiago", "2026-09-06T12:00:00Z", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"},
		{"that begins at 01:00, in the east", "Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00:00Z",
			"2026-04-24T21:00:00Z"},
		{"before one that begins at 01:00", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-22T22:00:00Z",
			"2026-04-23T22:00:00Z"},
		{"with two midnights", "America/Havana", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"between the two midnights", "America/Havana", "2026-11-01T04:30:00Z", "2026-11-01T04:00:00Z",
			"2026-11-02T05:00:00Z"},
		{"with two midnights, near Greenwich", "Atlantic/Azores", "2026-10-25T12:00:00Z", "2026-10-25T00:00:00Z",
			"2026-10-26T01:00:00Z"},
		{"with two midnights, in the east", "Asia/Amman", "2021-10-29T12:00:00Z", "2021-10-28T21:00:00Z",
			"2021-10-29T22:00:00Z"},
		{"whose last hour comes twice", "America/Santiago", "2026-04-05T03:30:00Z", "2026-04-04T03:00:00Z",
			"2026-04-05T04:00:00Z"},
		{"with half an hour", "Australia/Lord_Howe", "2026-04-05T12:00:00Z", "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"},
		{"without clocks that change", "Asia/Kathmandu", "2026-11-20T18:14:59Z", "2026-11-19T18:15:00Z",
			"2026-11-20T18:15:00Z"},
	} {
		start, next := DayBounds(at(t, c.now), zone(t, c.zone))
		if !start.Equal(at(t, c.start)) || !next.Equal(at(t, c.next)) {
			t.Errorf("%s (%s): got %v to %v, want %s to %s", c.name, c.zone, start.UTC(), next.UTC(), c.start, c.next)
		}
	}
}

func TestMonthBounds_StartAtFirstMoment(t *testing.T) {
	for _, c := range []struct{ zone, now, start, next string }{
		{"Europe/Madrid", "2026-11-30T23:00:00Z", "2026-11-30T23:00:00Z", "2026-12-31T23:00:00Z"},
		{"Europe/Madrid", "2026-11-30T22:59:59Z", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"},
		{"America/Havana", "2026-11-01T04:30:00Z", "2026-11-01T04:00:00Z", "2026-12-01T05:00:00Z"},
		{"Asia/Kathmandu", "2026-02-28T18:15:00Z", "2026-02-28T18:15:00Z", "2026-03-31T18:15:00Z"},
	} {
		start, next := MonthBounds(at(t, c.now), zone(t, c.zone))
		if !start.Equal(at(t, c.start)) || !next.Equal(at(t, c.next)) {
			t.Errorf("%s in %s: got %v to %v, want %s to %s", c.now, c.zone, start.UTC(), next.UTC(), c.start, c.next)
		}
	}
}

// TestDayBounds_StartAtFirstMoment checks that a day starts at the first moment with its date, on a
// quarter of an hour. Clock changes do not matter.
func TestDayBounds_StartAtFirstMoment(t *testing.T) {
	zones := []string{"UTC", "Europe/Madrid", "America/Santiago", "Africa/Cairo", "America/Havana", "Atlantic/Azores",
		"Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Chatham", "Asia/Beirut", "America/Asuncion", "America/St_Johns",
		"Pacific/Kiritimati", "America/Scoresbysund", "Asia/Gaza"}
	first := at(t, "2024-01-01T00:00:00Z")
	rapid.Check(t, func(t *rapid.T) {
		z, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		now := first.Add(time.Duration(rapid.IntRange(0, 5*365*24*60).Draw(t, "minutes")) * time.Minute)
		start, next := DayBounds(now, z)
		date := func(at time.Time) string { return at.In(z).Format(time.DateOnly) }
		switch {
		case now.Before(start) || !now.Before(next):
			t.Fatalf("%v is not between %v and %v", now.In(z), start, next)
		case date(start) != date(now) || date(next) <= date(now):
			t.Fatalf("%v begins at %v and ends at %v", now.In(z), start, next)
		case date(start.Add(-1)) >= date(now) || date(next.Add(-1)) != date(now):
			t.Fatalf("%v does not begin at %v, or end at %v", now.In(z), start, next)
		case start.Unix()%900 != 0:
			t.Fatalf("%v is on no quarter of an hour", start)
		}
	})
}
