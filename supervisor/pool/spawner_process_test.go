package pool

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// forgiving returns timings that keep the breaker closed for the given number of deaths.
func forgiving(deaths int) Timings {
	timings := quick()
	timings.BreakerDeaths = deaths + 1
	return timings
}

// answersWithin sets how long a spawner may take to answer the request of a child.
func (r *rig) answersWithin(limit time.Duration) {
	r.spawner.mu.Lock()
	defer r.spawner.mu.Unlock()
	r.spawner.answerLimit = limit
}

// hang makes the spawner hang, and returns its pid. limit is how long the spawner may take to
// answer the request of a child.
func (r *rig) hang(limit time.Duration) int {
	r.t.Helper()
	r.answersWithin(limit)
	pid := r.spawner.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// processesOf lists the processes of a worker: the worker, a child, and a daemon.
func processesOf(t *testing.T, w *Worker[*testHost]) []int {
	t.Helper()
	var pids []int
	if err := w.Call(bounded(t), "daemons", nil, &pids); err != nil {
		t.Fatal(err)
	}
	return append(pids, w.process.pid())
}

// checkReplaced waits for the ends of workers and checks that none of their processes is left. The
// users must get new workers from a new spawner.
func (r *rig) checkReplaced(old int, pids []int, workers ...*Worker[*testHost]) {
	r.t.Helper()
	for _, w := range workers {
		await(r.t, "the worker's end", w.Done())
	}
	for _, pid := range append(pids, old) {
		if !isGone(pid) {
			r.t.Errorf("process %d is left", pid)
		}
	}
	for _, w := range workers {
		if err := echo(r.t, r.acquire(w.process.spec.Key), "a new one"); err != nil {
			r.t.Error(err)
		}
	}
	if pid := r.spawner.PID(); pid == old || pid == 0 {
		r.t.Errorf("the spawner is %d", pid)
	}
}

func TestSpawner_Dead_IsReplaced(t *testing.T) {
	r := newRig(t, forgiving(0), "good", "stubborn")
	a, b := r.acquire("good"), r.acquire("stubborn")
	pids := append(processesOf(t, a), processesOf(t, b)...)
	old := r.spawner.PID()
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.checkReplaced(old, pids, a, b)
	if s := r.status("good"); s.Deaths != 0 || !errors.Is(a.Err(), errSpawnerLost) {
		t.Errorf("%d deaths were counted; it ended with %v", s.Deaths, a.Err())
	}
}

func TestSpawner_NoAnswerToStart_IsReplaced(t *testing.T) {
	r := newRig(t, forgiving(1), "good-1", "good-2", "good-new")
	a, b := r.acquire("good-1"), r.acquire("good-2")
	pids := append(processesOf(t, a), processesOf(t, b)...)
	old := r.hang(300 * time.Millisecond)
	go func() { // this goroutine ends with the spawner; then the next spawner gets more time
		<-a.Done()
		r.answersWithin(answerWait)
	}()
	if err := echo(t, r.acquire("good-new"), "at last"); err != nil {
		t.Error(err)
	}
	r.checkReplaced(old, pids, a, b)
	for user, want := range map[string]int{"good-1": 0, "good-2": 0, "good-new": 1} {
		if got := r.status(user).Deaths; got != want {
			t.Errorf("%s: %d deaths were counted, want %d", user, got, want)
		}
	}
}

func TestSpawner_NoReportOfEnd_IsReplaced(t *testing.T) {
	timings := forgiving(1)
	timings.Kill = 2 * time.Second
	r := newRig(t, timings, "good-1", "good-2")
	a, b := r.acquire("good-1"), r.acquire("good-2")
	pids := append(processesOf(t, a), processesOf(t, b)...)
	old := r.hang(deadline)
	a.Kill(errors.New("you must go"))
	r.checkReplaced(old, pids, a, b)
	if err := a.Err(); !strings.Contains(err.Error(), "was not told within 2s of SIGKILL") {
		t.Errorf("it ended with %v", err)
	}
	if s := r.status("good-2"); s.Deaths != 0 {
		t.Errorf("%d deaths of the other person's were counted", s.Deaths)
	}
}

// script writes a shell script that stands in for mews-spawner.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mews-spawner")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStartSpawner_ContextEnds_Returns checks that StartSpawner returns at once when its context
// ends, and leaves no process.
func TestStartSpawner_ContextEnds_Returns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	path := script(t, "echo $$ > "+file+".new; mv "+file+".new "+file+"; exec sleep 1000")
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	began := make(chan struct{})
	go func() {
		defer close(began)
		for ended := time.Now().Add(deadline); time.Now().Before(ended); waitFor(time.Millisecond, nil) {
			if _, err := os.Stat(file); err == nil {
				break
			}
		}
		cancel(enough)
	}()
	_, err := StartSpawner(ctx, spawnerOptions(path, workerPath))
	<-began
	if !errors.Is(err, enough) || strings.Contains(err.Error(), "timeout") {
		t.Errorf("ended with %v, want %v", err, enough)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || !isGone(pid) {
		t.Errorf("process %d is left, %v", pid, err)
	}
}

// TestStartSpawner_ProcessEnds_Returns checks that StartSpawner returns when its process ends.
// Another process may still hold the socket and standard error open.
func TestStartSpawner_ProcessEnds_Returns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	path := script(t, "setsid sleep 1000 & echo $! > "+file+"; exit 4")
	_, err := StartSpawner(context.Background(), spawnerOptions(path, workerPath))
	if err == nil || !strings.Contains(err.Error(), "it ended without a word") ||
		!strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("ended with %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || !isGone(pid) {
		t.Errorf("process %d is left, %v", pid, err)
	}
}

// TestKillOrphans_SparesOtherChildren checks that other children of this process are not killed,
// nor is another spawner with its workers.
func TestKillOrphans_SparesOtherChildren(t *testing.T) {
	r := newRig(t, quick(), "good")
	other := r.acquire("good")
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	TestStartSpawner_ProcessEnds_Returns(t)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("a child of another kind ended with %v", err)
	}
	if err := echo(t, other, "still here"); err != nil {
		t.Error(err)
	}
}

func TestParseProcStat_OddNames_AreRead(t *testing.T) {
	const rest = " 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 100 1000000 25 18446744073709551615"
	for text, want := range map[string]processInfo{
		"7 (sh) S 3 7 5" + rest:                 {7, 3, 5, 25},
		"7 (a) b) Z 9 9 9 (c\n) S 3 7 5" + rest: {7, 3, 5, 25},
		"7 () R 3 7 5" + rest:                   {7, 3, 5, 25},
		"":                                      {},
		"7 (sh) S 3":                            {},
		"7 )sh( S 3 7 5" + rest:                 {},
		"x (sh) S 3 7 5" + rest:                 {},
		"7 (sh) S 3 7 x" + rest:                 {},
	} {
		got, err := parseStat([]byte(text))
		if (err == nil) != (want != processInfo{}) || (err == nil && got != want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
