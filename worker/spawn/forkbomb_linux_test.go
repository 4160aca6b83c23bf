package spawn

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"mews/protocol/spawnwire"
)

// bombRoom is how many processes the workers' account may have during a fork bomb, so that a defect
// does not take the machine down.
const bombRoom = "400"

// bombs are Python programs that double themselves without end.
var bombs = map[string]string{
	// The processes of this bomb never end.
	"stubborn": `
while True:
    try: os.fork()
    except OSError: pass`,
	// Each process that cannot fork ends, and the child of another process takes its place. Without
	// its first line this bomb might end by itself.
	"restless": `
first = os.getpid()
while True:
    try: os.fork()
    except OSError:
        if os.getpid() != first: os._exit(1)`,
	// Each process has its own session, and no parent.
	"scattered": `
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
    except OSError: pass`,
	// Each process wakes all other processes.
	"waking": `
while True:
    try:
        os.fork()
        for pid in os.listdir("/proc"):
            if pid.isdigit() and int(pid) > 1000:
                try: os.kill(int(pid), signal.SIGCONT)
                except OSError: pass
    except OSError: pass`,
}

// TestForkBomb_WithoutGroups_IsEnded: without a control group or a namespace, the watchdog ends a
// fork bomb while its worker lives. The bomb also ends with its worker. Other workers are not
// harmed.
func TestForkBomb_WithoutGroups_IsEnded(t *testing.T) {
	for name, program := range bombs {
		t.Run(name, func(t *testing.T) {
			r := start(t, setup{env: []string{sweepVar + "=50ms", roomVar + "=" + bombRoom},
				policy: []string{"worker=/bin/sh", "sandbox=landlock", "sandbox_min=off", "pids=100"}})
			other, w := r.worker(), r.worker()
			light := fmt.Sprintf("cat >bomb.py <<'.'\nimport os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"+
				"print('begun', flush=True)%s\n.\n(trap '' TERM HUP; exec python3 bomb.py 2>/dev/null) &", program)
			w.wantAnswer(light, "begun")
			if name != "scattered" { // processes without a parent are ended at once
				hit := nextMessage[spawnwire.LimitHitMessage](r)
				if hit.ID != w.id || hit.Kind != "pids" {
					t.Errorf("%+v", hit)
				}
			}
			other.wantAnswer(retryScript, "again")
			r.send(spawnwire.KillRequest{ID: w.id, Signal: uint32(syscall.SIGKILL)})
			r.awaitExit(w)
			waitUntil(t, "nothing of it to be left", func() bool {
				return !slices.ContainsFunc(otherProcesses(t, other.pid), isRunning)
			})
			other.checkAlive()
		})
	}
}

// awaitExit waits for a worker's end. Until then the worker may hit limits.
func (r *harness) awaitExit(w *testWorker) {
	r.t.Helper()
	if err := r.conn.SetReceiveDeadline(time.Now().Add(deadline)); err != nil {
		r.t.Fatal(err)
	}
	for {
		got, _, err := r.conn.Receive()
		if _, hit := got.(spawnwire.LimitHitMessage); err == nil && hit {
			continue
		}
		if end, ok := got.(spawnwire.ExitedMessage); err != nil || !ok || end.ID != w.id {
			r.t.Fatalf("received %#v, %v; want the end of worker %d", got, err, w.id)
		}
		return
	}
}

// otherProcesses returns the processes of the workers' account, except the given process.
func otherProcesses(t *testing.T, but int) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		info, gone := e.Info()
		if err == nil && gone == nil && pid != but && int(info.Sys().(*syscall.Stat_t).Uid) == workersUID() {
			pids = append(pids, pid)
		}
	}
	return pids
}
