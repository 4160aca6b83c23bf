package spawn

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol/spawnwire"
)

func TestExitedMessage_WaitsForDaemonsToEnd(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	other, w := r.worker(), r.worker()
	pids := []int{
		w.pidOf("sleep 1000 & echo $!"), // pid of a child of the worker
		// pid of a child that has its own child
		w.pidOf("(sleep 1000; :) & echo $!"),
		// pid of a process with its own session
		w.pidOf("setsid sh -c 'trap \"\" TERM HUP; sleep 1000; :' & echo $!"),
	}
	r.send(spawnwire.KillRequest{ID: w.id, Signal: uint32(syscall.SIGKILL)})
	if got := nextMessage[spawnwire.ExitedMessage](r); got.ID != w.id {
		t.Fatalf("%+v", got)
	}
	for _, pid := range append(pids, w.pid) {
		if !isGone(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	other.checkAlive()
}

func TestDaemon_OfLivingWorker_IsKilled(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	w := r.worker()
	child := w.pidOf("sleep 1000 & echo $!")
	awaitGone(t, w.pidOf(daemon))
	if isGone(child) {
		t.Error("its child was killed too")
	}
	w.checkAlive()
}

func TestSupervisorGone_KillsAllProcesses(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	var pids []int
	for range 3 {
		w := r.worker()
		pids = append(pids, w.pid, w.pidOf("setsid sh -c 'trap \"\" TERM; sleep 1000; :' & echo $!"),
			w.pidOf("(sleep 1000; :) & echo $!"))
		w.write("trap '' TERM")
	}
	if err := r.conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the spawner ended with %v: %s", err, r.said)
	}
	for _, pid := range pids {
		if !isGone(pid) {
			t.Errorf("process %d outlived the spawner", pid)
		}
	}
}

func TestSpawnerKilled_WorkerDies(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	w := r.worker()
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, w.pid)
}

func TestSignals_OfTerminal_AreIgnored(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := r.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	w := r.worker()
	// standard is the mask of the standard signals. Signals from 32 on are glibc's own: its
	// posix_spawn makes a child ignore one of them, and the tool make passes this on.
	const standard = 1<<31 - 1
	ignored := statusOf(t, w.pid, "SigIgn")
	if set, err := strconv.ParseUint(ignored, 16, 64); err != nil || set&standard != 0 {
		t.Errorf("the worker ignores signals: %s, %v", ignored, err)
	}
}

// TestBrokenWire_EndsSpawnerAndWorkers: after a broken message the spawner ends all workers and
// itself.
func TestBrokenWire_EndsSpawnerAndWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		send spawnwire.Message
		fds  []int
		why  string
	}{
		"a number used again": {spawnwire.SpawnRequest{ID: 1, Root: "/", Path: "."}, []int{0, 2},
			"after worker 1"},
		"a spawn without descriptors": {spawnwire.SpawnRequest{ID: 2, Root: "/", Path: "."}, nil, "0 descriptors"},
		"a kill with descriptors":     {spawnwire.KillRequest{ID: 1, Signal: 9}, []int{0}, "1 descriptors"},
		"forbidden signal": {spawnwire.KillRequest{ID: 1, Signal: uint32(syscall.SIGSTOP)}, nil,
			"signal 19"},
		"a kill of a worker never made": {spawnwire.KillRequest{ID: 9, Signal: 9}, nil, "never asked for"},
		"a message of the other side":   {spawnwire.ReadyMessage{Version: 1}, nil, "not for a spawner"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startSpawner(t, noNamespaces...)
			w := r.worker()
			if err := r.conn.Send(c.send, deadline, c.fds...); err != nil {
				t.Fatal(err)
			}
			if err := r.cmd.Wait(); err == nil || !strings.Contains(r.said.String(), c.why) {
				t.Errorf("ended with %v: %q, want %q", err, r.said, c.why)
			}
			if !isGone(w.pid) {
				t.Error("its worker is left")
			}
		})
	}
}

// TestDaemons_ManyAtOnce_AreKilled: a shell starts daemons as fast as it can, each with its own
// session.
func TestDaemons_ManyAtOnce_AreKilled(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	w := r.worker()
	w.write("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do " + daemon + "; done; exit 3")
	got := nextMessage[spawnwire.ExitedMessage](r)
	if status := syscall.WaitStatus(got.Status); status.ExitStatus() != 3 {
		t.Errorf("%+v", got)
	}
	if pids, err := childPIDs(); err != nil || len(pids) != 1 {
		t.Errorf("the test has the children %d, %v; want the spawner alone", pids, err)
	}
	if left := childrenOf(t, r.cmd.Process.Pid); len(left) != 0 {
		t.Errorf("the spawner is left with the children %d", left)
	}
}

// TestCheckNewPID_KnownPID_IsRefused: otherwise the spawner could signal a worker in place of
// another worker.
func TestCheckNewPID_KnownPID_IsRefused(t *testing.T) {
	b := spawner{supervisor: 7, workers: map[uint64]*worker{1: {pid: 8}, 2: {pid: 9, ended: time.Now()}}}
	for pid, known := range map[int]bool{7: true, 8: true, 9: false, 10: false} {
		if err := b.checkNewPID(pid); (err != nil) != known {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}
