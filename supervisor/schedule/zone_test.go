package schedule

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/recurrence"
)

// Jobs that move with the user keep the wall times of their rules, their ends and their creation.
// Jobs with an interval or a fixed moment do not change, and are not reported.
func TestMoveZone_KeepsWallTime(t *testing.T) {
	h := newHarness(t) // it is Friday, 13:00 in Madrid
	wants := []struct{ words, next, after string }{
		{"RRULE:FREQ=WEEKLY;BYDAY=MO: without an hour", "Mon 30 Mar 13:00", "Mon 6 Apr 13:00"},
		{"every 2 days: from today on", "Sun 29 Mar 09:00", "Tue 31 Mar 09:00"},
		{"RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0: with one", "Mon 30 Mar 09:00", "Mon 6 Apr 09:00"},
		{"daily at 20:00 until 28 mar: with an end", "Fri 27 Mar 20:00", "Sat 28 Mar 20:00"},
		{"0 7 * * *: cron", "Sat 28 Mar 07:00", "Sun 29 Mar 07:00"},
		{"every 5 h: tea", "Fri 27 Mar 18:00", "Fri 27 Mar 23:00"},
		{"tomorrow at 9: once", "Sat 28 Mar 09:00", ""},
		{"2026-03-29 09:30: by its date", "Sun 29 Mar 09:30", ""},
		{"at 22: today", "Fri 27 Mar 22:00", ""},
		{"in 24 h: in a while", "Sat 28 Mar 08:00", ""},
		{"2026-03-28T09:00:00+01:00: a moment", "Sat 28 Mar 04:00", ""},
	}
	for _, w := range wants {
		h.remind(t, "alice", w.words)
	}
	h.now = h.now.Add(6 * time.Hour)
	moved := person("alice")
	moved.Timezone = "America/New_York" // New York is five hours behind Madrid until Sunday, then six
	if d, err := h.HandlePress(t.Context(), moved, chatOf("alice"), 99, "zone America/New_York",
		h.now); err != nil || !strings.HasPrefix(d.Text, "8 ") {
		t.Fatal(d.Text, err)
	}
	h.restart()
	if err := h.recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, w := range wants {
		j := h.job(t, int64(i+1))
		next, after := j.Next.In(timezone.ForUser(moved)).Format("Mon 2 Jan 15:04"), ""
		if at, found, err := recurrence.NextDue(j, j.Next); err != nil {
			t.Fatal(err)
		} else if found {
			after = at.Format("Mon 2 Jan 15:04")
		}
		if next != w.next || after != w.after {
			t.Errorf("%s comes %s and %s, want %s and %s", w.words, next, after, w.next, w.after)
		}
	}
	// after 08:30 on the last evening, the job is never due again
	if at, found, err := recurrence.NextDue(h.job(t, 4),
		time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)); found || err != nil {
		t.Errorf("what has ended comes %s, %v", at, err)
	}
	if text := DescribeTimes(h.job(t, 4)); !strings.Contains(text, "until Sat 28 Mar 2026 23:59") {
		t.Errorf("its list says %q", text)
	}
	if j := h.job(t, 1); j.Zone != moved.Timezone || j.State != supervisor.JobActive {
		t.Errorf("%+v", j)
	}
}

// One-time jobs move to a zone in the east too. A job whose time has passed there keeps its old
// zone. It fires at its old time, and is not reported.
func TestMoveZone_LosesNoJob(t *testing.T) {
	h := newHarness(t) // it is Friday, 13:00 in Madrid
	for _, words := range []string{"at 18: has passed there", "tomorrow at 9: call", "in 20 min: tea"} {
		h.remind(t, "alice", words)
	}
	moved := person("alice")
	moved.Timezone = "Asia/Tokyo" // it is 21:00 in Tokyo now
	if d, err := h.OfferTimezoneMove(t.Context(), moved); err != nil || !strings.HasPrefix(d.Text, "2 ") {
		t.Error(d.Text, err)
	}
	if d, err := h.HandlePress(t.Context(), moved, chatOf("alice"), 99, "zone Asia/Tokyo",
		h.now); err != nil || !strings.HasPrefix(d.Text, "1 ") {
		t.Error(d.Text, err)
	}
	h.restart()
	if err := h.recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	// due times of the jobs, in Madrid
	for id, want := range map[int64]string{1: "Fri 27 Mar 18:00", 2: "Sat 28 Mar 01:00", 3: "Fri 27 Mar 13:20"} {
		if got := h.job(t, id).Next.In(timezone.ForUser(person("alice"))).Format("Mon 2 Jan 15:04"); got != want {
			t.Errorf("reminder %d comes %s, want %s", id, got, want)
		}
	}
	h.passTime(t, 24*time.Hour)
	if got := strings.Join(h.saidTo(t, chatOf("alice")), ""); !strings.Contains(got,
		"has passed there") || !strings.Contains(got, "call") {
		t.Errorf("she is told %q", got)
	}
	bob := person("bob")
	bob.Timezone = "Asia/Tokyo"
	h.remind(t, "bob", "every 2 h: stretch")
	if d, err := h.OfferTimezoneMove(t.Context(), bob); err != nil || d.Text != "" {
		t.Errorf("one with nothing to move is offered %q, %v", d.Text, err)
	}
}
