package routine

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)

// A change just before a due check does not postpone that check. A later change counts as a first
// change again.
func TestHomeCheck_ConstantChanges_StillRuns(t *testing.T) {
	var h changedHomes
	now := noon
	for range 30 {
		if users := h.takeDue(now); len(users) > 0 {
			t.Fatalf("after %v it is checked", now.Sub(noon))
		}
		h.markChanged("alice", now)
		now = now.Add(10 * time.Second)
	}
	if users := h.takeDue(now); len(users) != 1 {
		t.Fatal("after 5 minutes it is not checked")
	}
	h.markChanged("alice", now)
	if !h.takeIfSettled("alice", now) {
		t.Error("the check does not continue")
	}
	h.markChanged("alice", now)
	if h.takeIfSettled("alice", now) || len(h.takeDue(now.Add(settleTime-1))) > 0 ||
		len(h.takeDue(now.Add(settleTime))) != 1 {
		t.Error("the next change does not count as the first one")
	}
}
