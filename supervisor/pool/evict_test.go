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

// A worker that knows an old time zone of its user is replaced once nobody uses it.
func TestAcquire_ChangedTimezone_StartsNewWorker(t *testing.T) {
	r := newRig(t, quick(), "good")
	acquire := func(zone string) *Worker[*testHost] {
		spec := r.spec("good")
		hello := *spec.Hello
		hello.Timezone = zone
		spec.Hello = &hello
		w, err := r.pool.Acquire(bounded(t), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Release)
		return w
	}
	first := acquire("Europe/Madrid")
	first.Release()
	same := acquire("Europe/Madrid")
	busy := acquire("Asia/Tokyo")
	if same.process != first.process || busy.process != first.process {
		t.Error("a worker with the same time zone, or a busy one, was replaced")
	}
	same.Release()
	busy.Release()
	next := acquire("Asia/Tokyo")
	if err := echo(t, next, "hello"); err != nil || next.process == first.process {
		t.Errorf("the next worker: %v", err)
	}
	if !errors.Is(first.Err(), errOutdated) || r.status("good").Deaths != 0 {
		t.Errorf("it ended with %v, status %+v", first.Err(), r.status("good"))
	}
}
