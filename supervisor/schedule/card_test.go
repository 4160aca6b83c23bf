package schedule

import (
	"strings"
	"testing"
	"time"
)

// A card says when its job is next due, or that the job has ended.
func TestJobCard_ShowsNextTimeOrEnd(t *testing.T) {
	h := newHarness(t)
	shows := func(want string) {
		t.Helper()
		if text := h.card(h.job(t, 1)).Text; !strings.Contains(text, "\n"+want) {
			t.Errorf("want %q: %q", want, text)
		}
	}
	h.remind(t, "alice", "every 10 min 2 times: x")
	shows("Next: Fri 27 Mar 2026 13:10 CET (+01:00); Fri 27 Mar 2026 13:20 CET (+01:00)\n")
	if _, err := h.Pause(t.Context(), h.job(t, 1)); err != nil {
		t.Fatal(err)
	}
	shows("It is paused.\n")
	if _, err := h.Resume(t.Context(), h.job(t, 1), h.now); err != nil {
		t.Fatal(err)
	}
	h.passTime(t, 10*time.Minute)
	h.passTime(t, 10*time.Minute)
	shows("It has ended.\n")
}
