package recurrence

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A time of the day in 24 hours has one meaning. Other times of the day, and hours such as 17h, may
// have two. It is Friday, 20 November 2026, 13:19 in Madrid.
func TestParse_TimeOfDay_AsksOnlyIfAmbiguous(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	for _, c := range []struct{ text, now, want, first, second string }{
		{"00:30", "13:19", "Sat 21 Nov 00:30", "", ""},
		{"00:30", "01:08", "Sat 21 Nov 00:30", "", ""},
		{"0:30", "13:19", "Sat 21 Nov 00:30", "", ""},
		{"08:00", "13:19", "Sat 21 Nov 08:00", "", ""},
		{"at 0830", "13:19", "Sat 21 Nov 08:30", "", ""},
		{"at 13", "13:19", "Sat 21 Nov 13:00", "", ""},
		{"18:00", "19:00", "Sat 21 Nov 18:00", "", ""},
		{"8 am", "13:19", "Sat 21 Nov 08:00", "", ""},
		{"at 8", "07:00", "Fri 20 Nov 08:00", "", ""},
		{"at 8", "13:19", "", "Tomorrow at 8 = Sat 21 Nov 08:00", "At 20:00 = Fri 20 Nov 20:00"},
		{"8:30", "21:00", "", "Tomorrow at 8:30 = Sat 21 Nov 08:30", "Tomorrow at 20:30 = Sat 21 Nov 20:30"},
		{"at 12", "13:19", "", "Tomorrow at 12 = Sat 21 Nov 12:00", "Tomorrow at 0:00 = Sat 21 Nov 00:00"},
		{"half past 7", "13:19", "", "Tomorrow at half past 7 = Sat 21 Nov 07:30", "At 19:30 = Fri 20 Nov 19:30"},
		{"17h", "13:19", "", "In 17h = Sat 21 Nov 06:19", "At 17:00 = Fri 20 Nov 17:00"},
		{"17 h", "13:19", "", "In 17h = Sat 21 Nov 06:19", "At 17:00 = Fri 20 Nov 17:00"},
		{"8h", "13:19", "", "In 8h = Fri 20 Nov 21:19", "At 08:00 = Sat 21 Nov 08:00"},
		{"8H30", "13:19", "", "In 8h30 = Fri 20 Nov 21:49", "At 08:30 = Sat 21 Nov 08:30"},
		{"17h30", "13:19", "Fri 20 Nov 17:30", "", ""},
		{"17h30", "18:00", "Sat 21 Nov 17:30", "", ""},
		{"08h", "13:19", "Sat 21 Nov 08:00", "", ""},
		{"00h30", "13:19", "Sat 21 Nov 00:30", "", ""},
		{"2h", "13:19", "Fri 20 Nov 15:19", "", ""},
		{"1h30", "13:19", "Fri 20 Nov 14:49", "", ""},
		{"48h", "13:19", "Sun 22 Nov 13:19", "", ""},
		{"in 17h", "13:19", "Sat 21 Nov 06:19", "", ""},
		{"in 17h30", "13:19", "Sat 21 Nov 06:49", "", ""},
		{"17 hours", "13:19", "Sat 21 Nov 06:19", "", ""},
		{"at 17h", "13:19", "Fri 20 Nov 17:00", "", ""},
		{"17h tomorrow", "13:19", "Sat 21 Nov 17:00", "", ""},
		{"tomorrow 17h", "13:19", "Sat 21 Nov 17:00", "", ""},
		{"at 930", "08:00", "Fri 20 Nov 09:30", "", ""},
		{"tomorrow at 930", "13:19", "Sat 21 Nov 09:30", "", ""},
		{"17h61", "13:19", "Sat 21 Nov 07:20", "", ""},
		{"17h until friday", "13:19", "", "", ""},
		{"20m tomorrow", "13:19", "", "", ""},
	} {
		now, _ := time.ParseInLocation(time.DateTime, "2026-11-20 "+c.now+":00", zone)
		r, err := Parse(c.text, now)
		if got := firstTimes(t, r, err, now, 1); got != c.want {
			t.Errorf("%q at %s is %s, want %s (%v)", c.text, c.now, got, c.want, err)
		}
		ask := new(AmbiguousTimeError)
		if errors.As(err, &ask) != (c.first != "") {
			t.Errorf("%q at %s: %v", c.text, c.now, err)
		}
		for i, want := range []string{c.first, c.second} {
			if label, when, ok := strings.Cut(want, " = "); ok {
				r, err := Parse(ask.Texts[i], now)
				if got := firstTimes(t, r, err, now, 1); got != when || ask.Labels[i] != label {
					t.Errorf("%q at %s: %q is %s (%v), want %q", c.text, c.now, ask.Labels[i], got, err, want)
				}
			}
		}
	}
}
