package operation_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// The user's running worker indexes the home. Without a running worker, a one-shot worker does it.
// A failure is returned.
func TestIndexHomeNow_WithOrWithoutWorker_Works(t *testing.T) {
	r := newRig(t)
	r.startService()
	for range 2 { // in this home the first two attempts fail
		if all, err := r.operations.IndexHomeNow(t.Context(), "ann"); all || err == nil {
			t.Fatalf("indexed: %t, %v", all, err)
		}
	}
	all, err := r.operations.IndexHomeNow(t.Context(), "ann")
	if lines, processes := r.runs("ann"); !all || err != nil || !slices.Equal(lines, []string{"index", "index", "index"}) || len(processes) != 3 {
		t.Fatalf("indexed: %t, %v; done were %q by %q", all, err, lines, processes)
	}
	r.waitFor("no worker is left", func() bool { return len(r.pool.List()) == 0 })

	r.waitDone(r.receive("ann"))
	all, err = r.operations.IndexHomeNow(t.Context(), "ann")
	if lines, processes := r.runs("ann"); !all || err != nil || len(lines) != 5 || len(processes) != 4 {
		t.Errorf("with a worker there: %t, %v; done were %q by %q", all, err, lines, processes)
	}
}

// IndexHomeNow waits for its slot until its deadline, and then gives up.
func TestIndexHomeNow_Timeout_GivesUp(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo := r.hold("ann", "hold-index")
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if all, err := r.operations.IndexHomeNow(ctx, "ann"); all || err != nil {
		t.Errorf("after its time: %t, %v", all, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if all, err := r.operations.IndexHomeNow(ended, "ann"); all || !errors.Is(err, context.Canceled) {
		t.Errorf("in a service that ends: %t, %v", all, err)
	}
	letGo()
	r.waitDone(r.transcribe("bob", "note", 5)) // the slot is free again
}
