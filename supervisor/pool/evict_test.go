package pool

import (
	"context"
	"errors"
	"testing"
)

func TestEvict_BusyWorker_Ends(t *testing.T) {
	r := newRig(t, quick(), "good", "deaf")
	if err := r.pool.Evict(bounded(t), "good"); err != nil { // the user has no worker
		t.Error(err)
	}
	lent := r.acquire("good")
	other := r.acquire("deaf")
	for range 2 { // at the second call the worker is gone already
		if err := r.pool.Evict(bounded(t), "good"); err != nil {
			t.Fatal(err)
		}
	}
	if !errors.Is(lent.Err(), errEvicted) || !isGone(lent.process.pid()) {
		t.Errorf("it ended with %v", lent.Err())
	}
	if err := echo(t, lent, "still there?"); err == nil {
		t.Error("an evicted worker answers")
	}
	again := r.acquire("good")
	if err := echo(t, again, "hello"); err != nil || again.process == lent.process {
		t.Errorf("the next worker: %v", err)
	}
	if s := r.status("good"); s.Deaths != 0 {
		t.Errorf("an eviction was counted as a death: %+v", s)
	}
	if other.Err() != nil {
		t.Errorf("another person's worker ended: %v", other.Err())
	}
}

func TestEvict_ContextEnds_Returns(t *testing.T) {
	r := newRig(t, quick(), "good")
	lent := r.acquire("good")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if err := r.pool.Evict(ctx, "good"); err != nil && !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	await(t, "the eviction", lent.Done())
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if err := r.pool.Evict(t.Context(), "good"); err != nil { // the pool has ended
		t.Error(err)
	}
}

// TestCallIfRunning_NeedsNoLease checks that a running worker answers without a lease, idle or
// busy. No worker is started for the call.
func TestCallIfRunning_NeedsNoLease(t *testing.T) {
	r := newRig(t, quick(), "good")
	ask := func() bool {
		t.Helper()
		said, heard := spoken{"hello"}, spoken{}
		there, err := r.pool.CallIfRunning(bounded(t), "good", "echo", said, &heard)
		if err != nil || there && heard != said {
			t.Errorf("heard %+v, %v", heard, err)
		}
		return there
	}
	if ask() {
		t.Error("a worker answers that nobody has asked for")
	}
	lent := r.acquire("good")
	if !ask() {
		t.Error("a lent worker is not there")
	}
	if err := r.pool.Evict(bounded(t), "good"); err != nil {
		t.Fatal(err)
	}
	if ask() {
		t.Error("an evicted worker answers")
	}
	lent.Release()
}
