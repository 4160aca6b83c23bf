package schedule

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
)

// What moves along with its person keeps its time on the wall, also where that is the time at which it was made, and so does its end. What counts
// elapsed time, or comes once, keeps its moments.
func TestMovingAlongKeepsTheTimeOnTheWall(t *testing.T) {
	h := newHarness(t) // it is Friday, 13:00 in Madrid
	wants := []struct{ words, next, after string }{
		{"RRULE:FREQ=WEEKLY;BYDAY=MO: without an hour", "Mon 30 Mar 13:00", "Mon 6 Apr 13:00"},
		{"every 2 days: from today on", "Sun 29 Mar 13:00", "Tue 31 Mar 13:00"},
		{"RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0: with one", "Mon 30 Mar 09:00", "Mon 6 Apr 09:00"},
		{"daily at 20:00 until 28 mar: with an end", "Fri 27 Mar 20:00", "Sat 28 Mar 20:00"},
		{"0 7 * * *: cron", "Sat 28 Mar 07:00", "Sun 29 Mar 07:00"},
		{"every 5 h: tea", "Fri 27 Mar 18:00", "Fri 27 Mar 23:00"},
		{"tomorrow at 9: once", "Sat 28 Mar 04:00", ""},
	}
	for _, w := range wants {
		h.remind(t, "alice", w.words)
	}
	h.now = h.now.Add(6 * time.Hour)
	moved := person("alice")
	moved.Timezone = "America/New_York" // five hours behind until Sunday, then six
	if d, err := h.Press(t.Context(), moved, chatOf("alice"), 99, "zone America/New_York", h.now); err != nil || !strings.HasPrefix(d.Text, "7 ") {
		t.Fatal(d.Text, err)
	}
	h.restart()
	if err := h.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, w := range wants {
		j := h.job(t, int64(i+1))
		next, after := j.Next.In(moved.Zone()).Format("Mon 2 Jan 15:04"), ""
		if at, found, err := nextOf(j, j.Next); err != nil {
			t.Fatal(err)
		} else if found {
			after = at.Format("Mon 2 Jan 15:04")
		}
		if next != w.next || after != w.after {
			t.Errorf("%s comes %s and %s, want %s and %s", w.words, next, after, w.next, w.after)
		}
	}
	if at, found, err := nextOf(h.job(t, 4), time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)); found || err != nil { // half past eight on the last evening
		t.Errorf("what has ended comes %s, %v", at, err)
	}
	if text := line(h.job(t, 4)); !strings.Contains(text, "until Sat 28 Mar 2026 23:59") {
		t.Errorf("its list says %q", text)
	}
	if j := h.job(t, 1); j.Zone != moved.Timezone || j.State != supervisor.JobActive {
		t.Errorf("%+v", j)
	}
}
