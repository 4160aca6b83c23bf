package recurrence

import (
	"testing"
	"time"
)

// A rule for a day keeps the time of the day of the rule that it replaces.
func TestWithTimeOfRule_DayAlone_KeepsOldTime(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zone)
	for _, c := range []struct{ old, text, want string }{
		{"tomorrow at 11", "friday", "Fri 27 Nov 11:00"},
		{"tomorrow at 11", "weekdays", "Mon 23 Nov 11:00"},
		{"tomorrow at 11", "every other friday", "Fri 27 Nov 11:00"},
		{"every day at 7:30", "25 dec", "Fri 25 Dec 07:30"},
		{"every last friday at 17:00", "every 15th", "Tue 15 Dec 17:00"},
		{"in 2 h", "friday", "Fri 27 Nov 15:19"},
		{"2026-12-01 18:00", "the 31st", "Mon 30 Nov 18:00"},
		{"tomorrow at 11", "friday at 9", "Fri 27 Nov 09:00"},
		{"tomorrow at 11", "friday evening", "Fri 27 Nov 19:00"},
		{"tomorrow at 11", "tonight", "Fri 20 Nov 20:00"},
		{"tomorrow at 11", "every morning", "Sat 21 Nov 09:00"},
		{"tomorrow at 11", "in 20 min", "Fri 20 Nov 13:39"},
		{"tomorrow at 11", "every 2 h", "Fri 20 Nov 15:19"},
		{"every day at 8 and 20:00", "friday", "Fri 27 Nov 09:00"},
		{"tomorrow", "friday", "Fri 27 Nov 09:00"},
		{"every 2 h", "friday", "Fri 27 Nov 09:00"},
		{"30 8 * * *", "friday", "Fri 27 Nov 09:00"},
	} {
		old, err := Parse(c.old, now)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(c.text, now)
		if err == nil {
			r, err = r.WithTimeOfRule(old, now)
		}
		if got := firstTimes(t, r, err, now, 1); got != c.want {
			t.Errorf("%q after %q is %s (%v), want %s", c.text, c.old, got, err, c.want)
		}
	}
}

func TestInLongerMonth_MissingDay_MovesToNextMonth(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	for _, c := range []struct{ text, now, want string }{
		{"the 31st", "2026-11-30", "Thu 31 Dec 09:00"},
		{"the 31st at 18:00", "2026-04-02", "Sun 31 May 18:00"},
		{"the 30th", "2027-02-03", "Tue 30 Mar 09:00"},
		{"the 31st", "2026-12-01", "Thu 31 Dec 09:00"},
		{"every 31st", "2026-11-30", "Mon 30 Nov 09:00"},
		{"tomorrow", "2026-11-30", "Tue 1 Dec 09:00"},
	} {
		now, _ := time.ParseInLocation(time.DateOnly, c.now, zone)
		r, err := Parse(c.text, now)
		r = r.MoveToLongerMonth(now)
		if got := firstTimes(t, r, err, now, 1); got != c.want || r.Kind == Once && r.Day != 0 {
			t.Errorf("%q on %s is %s (%v), want %s", c.text, c.now, got, err, c.want)
		}
	}
}

// On 28 March 2027 the clocks in Madrid skip the hour from 2:00 to 3:00. The time is the day
// before, 10:00.
func TestSkippedWallTime_ClockChange_IsNamed(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	now := time.Date(2027, 3, 27, 10, 0, 0, 0, zone)
	for text, want := range map[string]string{
		"tomorrow at 2:30": "02:30", "2027-03-28 02:30": "02:30", "28 march 2027 at 02:00": "02:00",
		"every day at 2:30":    "02:30",
		"every sunday at 2:59": "02:59", "every last sunday at 2:30": "02:30", "every other sunday at 2:30": "02:30",
		"every day at 2:30 and 3:00": "", "tomorrow at 3": "", "every day at 3": "", "tomorrow at 1:59": "",
		"in 17 h":  "",
		"tomorrow": "", "2027-03-29 02:30": "", "every day at 1 and 2:30": "", "tomorrow at 4": "", "every 1 h": "",
	} {
		r, err := Parse(text, now)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		next, _, err := r.Next(now, zone)
		if got := r.SkippedWallTime(next); got != want || err != nil {
			t.Errorf("%q is due at %s, skipped %q (%v), want %q", text, next, got, err, want)
		}
	}
	moved, err := Parse("tomorrow at 2:30", now)
	if next, _, _ := moved.Next(now, zoneOf(t, "Asia/Tokyo")); err != nil || moved.SkippedWallTime(next) != "" {
		t.Errorf("in Tokyo nothing is skipped: %s, %v", next, err)
	}
}
