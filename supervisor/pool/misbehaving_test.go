package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMisbehavingWorker_SparesOtherWorkers checks that a misbehaving worker is ended with all its
// processes. Meanwhile another user's worker must keep answering.
func TestMisbehavingWorker_SparesOtherWorkers(t *testing.T) {
	t.Parallel()
	hasty := func(change func(*Timings)) Timings {
		timings := quick()
		change(&timings)
		return timings
	}
	// These timeouts also hold for the other user's worker, which must meet these timeouts on a
	// busy machine.
	shortHello := hasty(func(t *Timings) { t.Handshake = 5 * time.Second })
	shortPing := hasty(func(t *Timings) { t.PingAnswer = 5 * time.Second })
	shortWrite := hasty(func(t *Timings) { t.Write = 2 * time.Second })
	longGrace := hasty(func(t *Timings) { t.Grace = deadline })
	longTerm := hasty(func(t *Timings) { t.Term = deadline })
	for user, c := range map[string]struct {
		timings Timings
		provoke func(*testing.T, *Worker[*testHost]) // makes the worker misbehave; nil if the worker never shakes hands
		why     string
	}{
		"silent":      {shortHello, nil, "no answer to hello within 5s"},
		"quits":       {quick(), nil, "exit status 1; it wrote last: I quit"},
		"dies":        {quick(), nil, "exit status 3; it wrote last: hello killed me"},
		"refuses":     {quick(), nil, "not today"},
		"babbles":     {quick(), nil, "protocol broken"},
		"killsitself": {quick(), nil, "signal: killed"},

		"chatty":   {quick(), now, "it sends too much"},
		"hugeline": {quick(), now, "too long"},
		"halfline": {shortPing, now, "no answer to ping within 5s"},
		"garbage":  {quick(), now, "protocol broken"},
		"forger":   {quick(), now, "protocol broken"},
		"deaf":     {shortWrite, flood, "does not read"},
		"hangs":    {shortPing, now, "no answer to ping within 5s"},
		"leaves":   {longTerm, now, "signal: terminated"},
		"stubborn": {quick(), kill, "you must go: signal: killed"},
		"floods":   {longGrace, kill, `you must go: exit status 0; it wrote last: \x1b[31mlook!\x1b[0m`},
	} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.timings, "good-bob", user)
			bob := watchOver(t, r.acquire("good-bob"))
			pids, err := r.suffer(user, c.provoke)
			if !strings.Contains(err.Error(), c.why) {
				t.Errorf("it ended with %q, want %q", err, c.why)
			}
			var end *WorkerEndError
			if !errors.As(err, &end) || end.User != user {
				t.Errorf("the error is %#v, want an *EndError", err)
			}
			for _, pid := range pids {
				if !isGone(pid) {
					t.Errorf("process %d is left", pid)
				}
			}
			if n := bob(); n == 0 {
				t.Error("the other person's worker never answered")
			}
		})
	}
}

// suffer makes the user's worker misbehave. It returns the worker's processes, and how the worker
// ended.
func (r *rig) suffer(user string, provoke func(*testing.T, *Worker[*testHost])) ([]int, error) {
	r.t.Helper()
	w, err := r.pool.Acquire(bounded(r.t), r.spec(user))
	if provoke == nil {
		var broken *CrashLoopError
		if !errors.As(err, &broken) {
			r.t.Fatalf("acquired %v, %v; want a *BrokenError", w, err)
		}
		return nil, err
	}
	if err != nil {
		r.t.Fatal(err)
	}
	defer w.Release()
	var pids []int
	if err := w.Call(bounded(r.t), "daemons", nil, &pids); err != nil {
		r.t.Fatal(err)
	}
	provoke(r.t, w)
	await(r.t, "the worker's end", w.Done())
	return append(pids, w.process.pid()), w.Err()
}

func now(t *testing.T, w *Worker[*testHost]) {
	if err := w.process.conn.Notify(bounded(t), "now", nil); err != nil {
		t.Fatal(err)
	}
}

// flood writes to a worker that does not read, until the connection ends.
func flood(t *testing.T, w *Worker[*testHost]) {
	now(t, w)
	big := spoken{strings.Repeat("x", 1<<16)}
	for w.process.conn.Notify(bounded(t), "noise", big) == nil {
	}
}

func kill(_ *testing.T, w *Worker[*testHost]) { w.Kill(errors.New("you must go")) }

// watchOver calls a worker repeatedly, and fails the test at the first call without an answer. The
// returned function makes a last call, stops, and returns the number of calls.
func watchOver(t *testing.T, w *Worker[*testHost]) func() int {
	stop := make(chan struct{})
	n := 0
	var task sync.WaitGroup
	task.Go(func() {
		for last := false; !last; {
			select {
			case <-stop:
				last = true
			case <-time.After(time.Millisecond):
			}
			if err := echo(t, w, "still here"); err != nil {
				t.Errorf("the other person's worker: %v", err)
				return
			}
			n++
		}
	})
	end := sync.OnceFunc(func() { close(stop); task.Wait() })
	t.Cleanup(end)
	return func() int { end(); return n }
}

// A worker that ends because the service ends has not died.
func TestKill_ServiceEnds_IsNotCountedAsDeath(t *testing.T) {
	t.Parallel()
	r := newRig(t, quick(), "good")
	for _, reason := range []error{context.Canceled, fmt.Errorf("run: %w", context.Canceled)} {
		w := r.acquire("good")
		w.Kill(reason)
		<-w.Done()
		w.Release()
		if err := echo(t, r.acquire("good"), "back"); err != nil { // the worker's end was handled before this new start
			t.Error(err)
		}
		if s := r.status("good"); s.Deaths != 0 || IsWorkerDeath(w.Err()) {
			t.Errorf("%v: %+v, %v", reason, s, w.Err())
		}
	}
}
