package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/retry"
)

func TestAcquire_StartsWorkerOnDemand(t *testing.T) {
	r := newRig(t, quick(), "good")
	if list := r.pool.List(); len(list) != 0 {
		t.Errorf("before anybody asked: %+v", list)
	}
	begun := make(chan string, 2)
	r.pool.options.OnStart = func(user string, pid int) { begun <- fmt.Sprint(user, " ", pid) }
	w := r.acquire("good")
	if got, want := <-begun, fmt.Sprint("good ", w.process.pid()); got != want {
		t.Errorf("told of %q, want %q", got, want)
	}
	if h := w.Host(); h.user != "good" || !h.welcomed.Load() {
		t.Errorf("its host was made for %q, welcomed %v", h.user, h.welcomed.Load())
	}
	if err := echo(t, w, "hello"); err != nil {
		t.Error(err)
	}
	var name string
	if err := w.Call(bounded(t), "whoami", nil, &name); err != nil || name != "good" {
		t.Errorf("it asked its host and heard %q, %v", name, err)
	}
	if s := r.status("good"); s.State != StateBusy || s.PID != w.process.pid() || s.PID == 0 {
		t.Errorf("status %+v", s)
	}
}

// A history that can't be used does not stop its worker. The spawner's reason is told.
func TestAcquire_UnusableHistory_IsReported(t *testing.T) {
	r := newRig(t, quick(), "good")
	told := make(chan string, 2)
	r.pool.options.OnHistory = func(user, fault string) { told <- user + ": " + fault }
	if err := os.WriteFile(filepath.Join(r.root, "good.history"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := r.spec("good")
	spec.Location.HistoryRoot, spec.Location.HistoryPath = r.root, "good.history"
	w, err := r.pool.Acquire(bounded(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	w.Release()
	if got := <-told; !strings.HasPrefix(got, "good: ") || !strings.Contains(got, "not a directory") {
		t.Errorf("told %q", got)
	}
}

func TestAcquire_SameUser_SharesWorker(t *testing.T) {
	r := newRig(t, quick(), "good")
	a, b := r.acquire("good"), r.acquire("good")
	if a.process != b.process {
		t.Fatal("two processes")
	}
	a.Release()
	a.Release() // the second release does nothing
	if err := echo(t, b, "still lent"); err != nil {
		t.Error(err)
	}
	if s := r.status("good"); s.State != StateBusy {
		t.Errorf("after one of two releases it is %s", s.State)
	}
}

// TestAcquire_UnusedWorker_ServesOneAtATime checks that requests for an unused worker get the
// worker one at a time. Other requests share the worker meanwhile.
func TestAcquire_UnusedWorker_ServesOneAtATime(t *testing.T) {
	r := newRig(t, quick(), "good")
	busy := r.acquire("good")
	alone := r.spec("good")
	alone.Unused = true
	lent := make(chan *Worker[*testHost])
	for range 2 {
		go func() {
			w, err := r.pool.Acquire(bounded(t), alone)
			if err != nil {
				t.Error(err)
			}
			lent <- w
		}()
	}
	impatient, enough := context.WithCancel(t.Context())
	enough()
	if w, err := r.pool.Acquire(impatient, alone); err == nil {
		w.Release()
		t.Error("it was lent while somebody else had it")
	}
	beside := r.acquire("good") // a request that shares the worker does not wait
	if !busy.WasShared() || !beside.WasShared() {
		t.Error("two have it, and it is not shared")
	}
	busy.Release()
	beside.Release()
	first := <-lent
	if first.WasShared() {
		t.Error("it is shared with those who had it before")
	}
	if err := r.pool.Evict(bounded(t), "good"); err != nil { // now the second request gets a new process
		t.Fatal(err)
	}
	second := <-lent
	joined := r.acquire("good")
	if first.WasShared() || !second.WasShared() || !joined.WasShared() || second.process == first.process {
		t.Errorf("shared: %v, %v, %v", first.WasShared(), second.WasShared(), joined.WasShared())
	}
	for _, w := range []*Worker[*testHost]{first, second, joined} {
		w.Release()
	}
}

func TestIdleWorker_IsEvicted(t *testing.T) {
	timings := quick()
	timings.Idle = time.Millisecond
	r := newRig(t, timings, "good")
	first := r.acquire("good")
	for range 50 { // the idle time passes, but the lease keeps the worker
		if err := echo(t, first, "busy"); err != nil {
			t.Fatal(err)
		}
	}
	pid := first.process.pid()
	first.Release()
	await(t, "eviction", first.Done())
	if !errors.Is(first.Err(), errIdle) || !isGone(pid) {
		t.Errorf("it ended with %v, gone: %v", first.Err(), isGone(pid))
	}
	second := r.acquire("good")
	if second.process == first.process {
		t.Error("the evicted worker was lent again")
	}
	if s := r.status("good"); s.Deaths != 0 {
		t.Errorf("an eviction was counted as a death: %+v", s)
	}
}

func TestCrash_InTurn_IsReportedAndReplaced(t *testing.T) {
	timings := quick()
	// A ping is always under way, and its failure is not reported.
	timings.BreakerDeaths, timings.PingEvery = 5, time.Millisecond
	r := newRig(t, timings, "good")
	w := r.acquire("good")
	if err := w.Call(bounded(t), "crash", nil, nil); !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("the call ended with %v", err)
	}
	await(t, "the worker's end", w.Done())
	want := "worker for good: exit status 2; it wrote last: panic: I crashed"
	if got := w.Err(); got == nil || got.Error() != want {
		t.Errorf("it ended with %q, want %q", got, want)
	}
	again := r.acquire("good")
	if err := echo(t, again, "hello"); err != nil || again.process == w.process {
		t.Errorf("the next worker: %v", err)
	}
	if s := r.status("good"); s.Deaths != 1 || s.State != StateBusy {
		t.Errorf("status %+v", s)
	}
}

func TestAcquire_WaitsThroughBackoff(t *testing.T) {
	timings := quick()
	timings.BreakerDeaths = 5
	r := newRig(t, timings, "flaky")
	if err := echo(t, r.acquire("flaky"), "at last"); err != nil {
		t.Error(err)
	}
	if s := r.status("flaky"); s.Deaths != 3 {
		t.Errorf("%d deaths, want 3", s.Deaths)
	}
}

func TestCircuitBreaker_OpensAndCloses(t *testing.T) {
	t.Parallel()
	timings := quick()
	timings.BreakerDeaths, timings.BreakerWindow = 3, 10*time.Second
	r := newRig(t, timings, "flaky")
	var broken *CrashLoopError
	if _, err := r.pool.Acquire(bounded(t), r.spec("flaky")); !errors.As(err, &broken) || broken.User != "flaky" {
		t.Fatalf("acquire: %v, want a *BrokenError", err)
	}
	if !strings.Contains(broken.Error(), "not yet") {
		t.Errorf("%q does not say how the last one ended", broken)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	// an error comes at once, whether Acquire checks the context or the breaker first
	if _, err := r.pool.Acquire(ended, r.spec("flaky")); err == nil {
		t.Error("a worker was lent while the breaker was open")
	}
	waitFor(time.Until(broken.Until)+100*time.Millisecond, nil)
	if err := echo(t, r.acquire("flaky"), "at last"); err != nil {
		t.Error(err)
	}
}

func TestAcquire_Cancelled_LeavesOtherWaiters(t *testing.T) {
	timings := quick()
	timings.BreakerDeaths, timings.BackoffMin, timings.BackoffMax = 100, time.Hour, time.Hour
	r := newRig(t, timings, "quits", "good")
	ctx, cancel := context.WithCancelCause(context.Background())
	impatient := make(chan error, 1)
	go func() {
		_, err := r.pool.Acquire(ctx, r.spec("quits"))
		impatient <- err
	}()
	other := r.acquire("good")
	gone := errors.New("she left")
	cancel(gone)
	if err := <-impatient; !errors.Is(err, gone) {
		t.Errorf("acquire ended with %v", err)
	}
	if err := echo(t, other, "still here"); err != nil {
		t.Error(err)
	}
}

func TestAcquire_CannotStart_SaysWhy(t *testing.T) {
	r := newRig(t, quick())
	for user, want := range map[string]string{
		"nobody":  "start worker for nobody: no worker has the profile \"none\"",
		"good-no": "mews-spawner refused it: open home \"good-no\"",
	} {
		if _, err := r.pool.Acquire(bounded(t), r.spec(user)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", user, err, want)
		}
	}
	for _, user := range []string{"nobody", "good-no"} {
		if s := r.status(user); s.State != StateAbsent || s.Deaths != 0 {
			t.Errorf("%s's worker: %+v", user, s)
		}
	}
	if _, err := r.pool.Acquire(bounded(t), r.spec("good-no")); !errors.As(err, new(*StartRefusedError)) {
		t.Errorf("a refusal is %v", err)
	}
}

// TestHandshake_OtherVersion_IsRefused checks that the error names a remedy, and that no death is
// counted, however often the worker is requested. With programs of the same version, the worker
// starts.
func TestHandshake_OtherVersion_IsRefused(t *testing.T) {
	for user, why := range map[string]string{
		// this worker accepts any hello
		"oldversion": fmt.Sprintf("handshake: protocol %d, want %d", protocol.Version+2, protocol.Version),
		// this worker does not know the hello's version
		"stranger": "hello: protocol 2, want 1",
		// this worker does not know the hello's fields
		"unknowing": "hello: unknown field",
	} {
		t.Run(user, func(t *testing.T) {
			r := newRig(t, quick(), user, "good")
			for range 3 { // one death would already open the breaker
				refused := new(StartRefusedError)
				if _, err := r.pool.Acquire(bounded(t), r.spec(user)); !errors.As(err, &refused) || refused.Reason != textOtherVersion ||
					!strings.Contains(err.Error(), why) {
					t.Fatalf("acquire: %v, want a refusal for %q", err, why)
				}
				if s := r.status(user); s.State != StateAbsent || s.Deaths != 0 || s.Refused != textOtherVersion {
					t.Errorf("status %+v", s)
				}
			}
			upgraded := r.spec("good")
			upgraded.Key = user
			w, err := r.pool.Acquire(bounded(t), upgraded)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Release()
			if s := r.status(user); s.State != StateBusy || s.Refused != "" {
				t.Errorf("with the programs of one version: status %+v", s)
			}
		})
	}
}

func TestPoolEnd_LeavesNoProcess(t *testing.T) {
	users := []string{"good-1", "good-2", "stubborn", "floods"}
	r := newRig(t, quick(), append(users, "silent")...)
	waiting := make(chan error, 1)
	go func() {
		_, err := r.pool.Acquire(context.Background(), r.spec("silent"))
		waiting <- err
	}()
	pids := []int{r.spawner.PID()}
	var workers []*Worker[*testHost]
	for _, user := range users {
		w := r.acquire(user)
		var daemons []int
		if err := w.Call(bounded(t), "daemons", nil, &daemons); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, w)
		pids = append(append(pids, daemons...), w.process.pid())
	}
	if err := r.stop(); err != nil {
		t.Errorf("the pool ended with %v", err)
	}
	if err := <-waiting; !errors.Is(err, ErrClosed) {
		t.Errorf("who waited was told %v", err)
	}
	for _, w := range workers {
		if !errors.Is(w.Err(), errShutdown) {
			t.Errorf("a worker ended with %v", w.Err())
		}
		w.Release()
	}
	for _, pid := range pids {
		if !isGone(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	if _, err := r.pool.Acquire(bounded(t), r.spec("good-1")); !errors.Is(err, ErrClosed) {
		t.Errorf("acquire from a closed pool: %v", err)
	}
}

func TestSupervisorKilled_LeavesNoProcess(t *testing.T) {
	r := newRig(t, quick(), "good", "stubborn")
	cmd := exec.Command(filepath.Join(filepath.Dir(workerPath), "mews"), spawnerPath, workerPath, r.root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	if err := json.NewDecoder(out).Decode(&pids); err != nil || len(pids) != 7 {
		t.Errorf("it started %d, %v", pids, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	for _, pid := range pids {
		awaitGone(t, pid)
	}
}

// TestPool_ConcurrentCalls_AnswerOrFail acquires, crashes and evicts workers in many goroutines.
// Each lease must get an answer, or its worker must have died.
func TestPool_ConcurrentCalls_AnswerOrFail(t *testing.T) {
	timings := quick()
	timings.BreakerDeaths, timings.Idle = 1000, time.Millisecond
	r := newRig(t, timings, "good-1", "good-2", "good-3")
	var tasks sync.WaitGroup
	for i := range 12 {
		tasks.Go(func() {
			for k := range 6 {
				w, err := r.pool.Acquire(bounded(t), r.spec(fmt.Sprintf("good-%d", 1+i%3)))
				if err != nil {
					t.Error(err)
					return
				}
				if i == 0 && k%3 == 2 {
					w.Kill(errors.New("chaos"))
				}
				if err := echo(t, w, "hello"); err != nil {
					await(t, fmt.Sprintf("its end, as the call failed: %v", err), w.Done())
				}
				w.Release()
			}
		})
	}
	tasks.Wait()
}

func TestBackoff_AnsweredTurn_ResetsPause(t *testing.T) {
	r := newRig(t, quick(), "good")
	w := r.acquire("good")
	var end protocol.TurnEnd
	if err := w.Call(bounded(t), protocol.MethodTurnStart, protocol.TurnStart{Turn: 1, Kind: "chat"}, &end); err != nil {
		t.Fatal(err)
	}
	pauses := &w.managed.backoff.pauses
	w.managed.do(func() { *pauses = retry.Pauses{First: time.Second, Longest: time.Minute}; pauses.Next() })
	w.Release()
	var got time.Duration
	w.managed.do(func() {}) // waits until the release is handled
	done := make(chan struct{})
	w.managed.do(func() { got = pauses.Next(); close(done) })
	<-done
	if s := r.status("good"); got != time.Second || s.Turns != 1 || s.State != StateIdle {
		t.Errorf("back-off %v, status %+v", got, s)
	}
}
