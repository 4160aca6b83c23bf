package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

// archiving returns the spec of a user's one-shot worker.
func (r *rig) archiving(user string) WorkerSpec {
	s := r.spec(user)
	s.Key, s.Profile = "archive/"+user, ProfileHome
	return s
}

func TestOneShotWorker_WorkDone_Ends(t *testing.T) {
	r := newRig(t, quick(), "good")
	long := r.acquire("good")
	for range 2 { // each round must use a new process
		w, err := r.pool.Acquire(bounded(t), r.archiving("good"))
		if err != nil {
			t.Fatal(err)
		}
		if w.process == long.process {
			t.Error("the person's long-lived worker was lent")
		}
		if err := echo(t, w, "working"); err != nil {
			t.Error(err)
		}
		pid := w.process.pid()
		if err := w.ReleaseAndWait(nil); err != nil || !errors.Is(w.Err(), errOneShot) || !isGone(pid) {
			t.Errorf("%v; it ended with %v, gone: %v", err, w.Err(), isGone(pid))
		}
	}
	if err := echo(t, long, "still here"); err != nil {
		t.Error(err)
	}
	for _, s := range r.pool.List() {
		if s.Key != "good" && s.State != StateStopping { // the managedWorker may still be ending
			t.Errorf("it is still kept: %+v", s)
		}
	}
}

func TestOneShotWorker_Dead_IsStartedAgain(t *testing.T) {
	timings := quick()
	timings.BreakerDeaths = 5
	r := newRig(t, timings, "flaky")
	w, err := r.pool.Acquire(bounded(t), r.archiving("flaky"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Call(bounded(t), "crash", nil, nil); !errors.Is(err, protocol.ErrClosed) {
		t.Errorf("the call ended with %v", err)
	}
	if err := w.ReleaseAndWait(errors.New("no archive")); err == nil || !strings.Contains(err.Error(),
		"no archive; the worker wrote: panic: I crashed") {
		t.Errorf("told %v", err)
	}
	again, err := r.pool.Acquire(bounded(t), r.archiving("flaky"))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.ReleaseAndWait(echo(t, again, "at last")); err != nil {
		t.Error(err)
	}
}

func TestWorkerWithoutUser_CallsAreRefused(t *testing.T) {
	r := newRig(t, quick(), "good")
	s := r.spec("good")
	s.Key, s.Profile, s.Hello = "self-test", ProfileSelfTest, nil
	w, err := r.pool.Acquire(bounded(t), s)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	if err := w.Call(bounded(t), "whoami", nil, &name); err == nil {
		t.Errorf("it asked who it is, and heard %q", name)
	}
	if w.Host() != nil {
		t.Error("it has a host")
	}
	if err := w.ReleaseAndWait(nil); err != nil {
		t.Error(err)
	}
}

func TestSelfTest_Fails_StartsNoWorker(t *testing.T) {
	spawner, err := StartSpawner(context.Background(), spawnerOptions(spawnerPath, workerPath))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := makeHome(root + "/good"); err != nil {
		t.Fatal(err)
	}
	o := options(spawner, quick())
	o.SelfTestSpec = WorkerSpec{Key: "self-test", Profile: ProfileSelfTest, Location: WorkerLocation{Root: root,
		Path: "good"}}
	var p *Pool[*testHost]
	o.SelfTest = func(ctx context.Context, w *Worker[*testHost]) error {
		impatient, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := p.Acquire(impatient, specOf(root, "good")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("before the self-test has passed: %v", err)
		}
		return errors.Join(echo(t, w, "before anybody"), errors.New("a wall does not hold"))
	}
	p = New(o)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := p.Run(ctx); err == nil || !strings.Contains(err.Error(), "try the walls: a wall does not hold") {
		t.Errorf("run ended with %v", err)
	}
	cancel()
	if _, err := p.Acquire(ctx, specOf(root, "good")); err == nil {
		t.Error("somebody got a worker all the same")
	}
}
