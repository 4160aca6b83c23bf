package schedule

import (
	"testing"
	"time"

	"mews/supervisor"
)

// A look that comes to no file at all has failed, and after too many the heartbeat is paused: it is not looked for for ever.
func TestAHeartbeatWithoutItsFile(t *testing.T) {
	h := newHarness(t)
	if _, err := h.Routine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineHeartbeat, "on", h.now); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		h.passes(t, 10*time.Minute)
	}
	h.is(t, "failed failed failed")
	if got := h.jobState(t, 1); got != "paused" || len(h.looked) != supervisor.MaxFailures {
		t.Errorf("after %d looks the heartbeat is %s", len(h.looked), got)
	}
}

// A look that does not say what it has come to has failed.
func TestALookThatSaysNothingOfItself(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.Look{Command: "make"})
	h.now = h.now.Add(10 * time.Minute)
	h.fires(t)
	list, err := h.db.Jobs().ListBegin(t.Context(), h.now, nil, true, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d fires are to begin: %v", len(list), err)
	}
	if _, _, err := h.db.Jobs().EndLook(t.Context(), list[0], supervisor.Looked{}); err != nil {
		t.Error(err)
	}
	h.is(t, "failed")
}
