package quiet_test

import (
	"testing"
	"time"

	"mews/supervisor/internal/quiet"
)

func TestCurrentEnd_ClockChange_IsFirstMinuteAfter(t *testing.T) {
	for _, c := range []struct{ hours, zone, now, end string }{
		{"22:00-07:30", "Europe/Madrid", "2026-11-24T21:59:59+01:00", ""},
		{"22:00-07:30", "Europe/Madrid", "2026-11-24T22:00:00+01:00", "2026-11-25T07:30:00+01:00"},
		{"22:00-07:30", "Europe/Madrid", "2026-11-25T07:29:59+01:00", "2026-11-25T07:30:00+01:00"},
		{"22:00-07:30", "Europe/Madrid", "2026-11-25T07:30:00+01:00", ""},
		{"13:00-15:00", "America/New_York", "2026-11-24T14:00:00-05:00", "2026-11-24T15:00:00-05:00"},
		// Clocks go forward that night, so 02:30 does not exist.
		{"22:00-02:30", "Europe/Madrid", "2026-03-28T23:00:00+01:00", "2026-03-29T03:00:00+02:00"},
		// Clocks go back that night. Quiet hours end at the first of two times 02:30.
		{"22:00-02:30", "Europe/Madrid", "2026-10-24T23:00:00+02:00", "2026-10-25T02:30:00+02:00"},
		{"22:00-07:30", "Europe/Madrid", "2026-10-24T23:00:00+02:00", "2026-10-25T07:30:00+01:00"},
		{"22:00-07:30", "Australia/Lord_Howe", "2026-10-03T23:00:00+10:30", "2026-10-04T07:30:00+11:00"},
		// Samoa skipped 30 December 2011.
		{"22:00-07:30", "Pacific/Apia", "2011-12-29T23:00:00-10:00", "2011-12-31T07:30:00+14:00"},
	} {
		q, ok := quiet.Parse(c.hours)
		zone, err := time.LoadLocation(c.zone)
		now, wrong := time.Parse(time.RFC3339, c.now)
		if !ok || q.String() != c.hours || err != nil || wrong != nil {
			t.Fatal(c, q, ok, err, wrong)
		}
		end, is := q.CurrentEnd(now, zone)
		if got := end.Format(time.RFC3339); is != (c.end != "") || is && end.In(zone).Format(time.RFC3339) != c.end {
			t.Errorf("%s in %s at %s: %s, %t; want %q", c.hours, c.zone, c.now, got, is, c.end)
		}
	}
	for _, text := range []string{"", "22:00", "22:00-22:00", "24:00-07:00", "22:60-07:00", "22-7", "at night", "22:00-07:30x"} {
		if q, ok := quiet.Parse(text); ok {
			t.Errorf("%q is %s", text, q)
		}
	}
}

func FuzzQuietHours(f *testing.F) {
	f.Add("22:00-07:30", int64(1_790_000_000))
	f.Add("7.30 to 8:00", int64(0))
	f.Fuzz(func(t *testing.T, text string, at int64) {
		q, ok := quiet.Parse(text)
		if !ok {
			return
		}
		if again, ok := quiet.Parse(q.String()); !ok || again != q {
			t.Fatalf("%q is read as %s", text, q)
		}
		now := time.Unix(at%(1<<34), 0)
		if end, is := q.CurrentEnd(now, time.UTC); is && (!end.After(now) || end.Sub(now) > 24*time.Hour) {
			t.Errorf("%s at %s ends at %s", q, now, end)
		}
	})
}
