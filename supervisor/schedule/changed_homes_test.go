package schedule

import (
	"fmt"
	"testing"
	"time"
)

// A folder in which something changes all the time is told of too.
func TestAFolderThatIsNeverStill(t *testing.T) {
	h := newNoticed(t)
	for i := range 2 * 60 * 3 { // every 20 s for two hours
		h.changes(fmt.Sprintf("changed log%d.md", i%3))
		h.goesOn(t, 20*time.Second)
	}
	if n := len(h.said(t, chatOf("alice"))); n < 8 || n > 12 {
		t.Errorf("in two hours there are %d messages", n)
	}
}

// What changes between the end of the wait and the look does not put it off again; afterwards a
// change is the first one anew.
func TestALookAtAHomeThatIsNeverStill(t *testing.T) {
	var h changedHomes
	now := noon
	for range 30 {
		if users := h.take(now); len(users) > 0 {
			t.Fatalf("after %v it is looked at", now.Sub(noon))
		}
		h.note("alice", now)
		now = now.Add(10 * time.Second)
	}
	if users := h.take(now); len(users) != 1 {
		t.Fatal("after 5 minutes it is not looked at")
	}
	h.note("alice", now)
	if !h.settled("alice", now) {
		t.Error("the look does not go on")
	}
	h.note("alice", now)
	if h.settled("alice", now) || len(h.take(now.Add(filesSettle-1))) > 0 || len(h.take(now.Add(filesSettle))) != 1 {
		t.Error("the next change is not the first one anew")
	}
}
