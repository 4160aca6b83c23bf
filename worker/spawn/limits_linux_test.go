package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol/spawnwire"
)

// hog is a shell command for a process that takes 80 MiB and keeps them.
const hog = `(head -c 80M /dev/zero; exec sleep 1000) | tail >/dev/null & `

// megabytes is the memory limit of a policy, enough for one and a half hogs. With the race
// detector, stage one needs more than half of this memory, because it sets its limits before it
// executes a worker.
const megabytes = 128 << 20

// withoutGroups sets up a spawner that finds no control groups, so that the watchdog enforces the
// limits.
func withoutGroups(tier string) setup {
	return setup{policy: []string{"worker=/bin/sh", "sandbox=" + tier, "sandbox_min=off", fmt.Sprint("memory=", megabytes)}}
}

// TestWatchdog_TooMuchMemory_EndsLargest: the worker itself goes on, and so do the processes of
// other workers.
func TestWatchdog_TooMuchMemory_EndsLargest(t *testing.T) {
	for _, tier := range []string{"namespaces", "landlock"} {
		t.Run(tier, func(t *testing.T) {
			r := start(t, withoutGroups(tier))
			if !strings.Contains(r.ready.Limits, "watchdog") {
				t.Errorf("limits: %q", r.ready.Limits)
			}
			other, w := r.worker(), r.worker()
			w.write("exec 2>/dev/null; " + strings.Repeat(hog, 3))
			hit := nextMessage[spawnwire.LimitHitMessage](r)
			if hit.ID != w.id || hit.Kind != "memory" || hit.Limit != megabytes || hit.Times == 0 {
				t.Errorf("%+v", hit)
			}
			other.checkAlive()
			w.checkAlive()
		})
	}
}

// TestSpawn_TooMuchMemory_GetsPolicyLimit: a request may lower the policy's memory limit, but not
// raise it.
func TestSpawn_TooMuchMemory_GetsPolicyLimit(t *testing.T) {
	p := Policy{Memory: 1 << 30, PIDs: 100}
	for _, c := range []struct{ memory, wantMemory, pids, wantPIDs uint64 }{
		{0, 1 << 30, 0, 100}, {1 << 20, 1 << 20, 7, 7}, {1<<30 + 1, 1 << 30, 101, 100}, {1<<64 - 1, 1 << 30, 1<<32 - 1, 100},
	} {
		got := workerLimits(spawnwire.SpawnRequest{Memory: c.memory, PIDs: uint32(c.pids)}, p)
		if got.Memory != int64(c.wantMemory) || got.PIDs != int(c.wantPIDs) || got.MemoryHigh > got.Memory {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	r := start(t, withoutGroups("landlock"))
	w := r.workerOf(spawnwire.SpawnRequest{Memory: megabytes - 1<<20})
	if got := limitsIn(t, w, "Max data size"); got != fmt.Sprint(megabytes-1<<20) {
		t.Errorf("may have %s bytes of data", got)
	}
}

// limitsIn returns a worker's hard limit with this name in /proc/PID/limits.
func limitsIn(t *testing.T, w *testWorker, name string) string {
	t.Helper()
	w.checkAlive()
	return hardLimit(t, w.pid, name)
}

func hardLimit(t *testing.T, pid int, name string) string {
	t.Helper()
	for line := range strings.Lines(readProc(t, pid, "limits")) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.Fields(rest)[1]
		}
	}
	t.Fatalf("process %d has no limit called %s", pid, name)
	return ""
}

// manyProcesses returns a shell command that starts n processes, and prints a line once they run.
func manyProcesses(n int) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 1000 & i=$((i+1)); done; echo made", n)
}

// TestWatchdog_SharedAccount_OtherWorkersStart: both workers share an account, and the kernel
// counts processes by account.
func TestWatchdog_SharedAccount_OtherWorkersStart(t *testing.T) {
	for _, tier := range []string{"namespaces", "landlock"} {
		t.Run(tier, func(t *testing.T) {
			r := start(t, setup{env: []string{sweepVar + "=1s"},
				policy: []string{"worker=/bin/sh", "sandbox=" + tier, "sandbox_min=off", "pids=450"}})
			w := r.worker()
			w.wantAnswer(manyProcesses(400), "made")
			other := r.worker()
			other.wantAnswer(manyProcesses(100), "made")
			got, err := strconv.Atoi(limitsIn(t, other, "Max processes"))
			if err != nil || tier == "landlock" && got < 600 || tier != "landlock" && got != 450 {
				t.Errorf("may have %d processes, %v", got, err)
			}
			r.kill(w)
			other.checkAlive()
		})
	}
}

// bombProgram writes a program, "bomb many", that starts processes without end and ignores signals.
// A shell that cannot fork ends. This script then starts again in the same process.
const bombProgram = `cat >bomb <<'.'
trap "" TERM HUP INT
trap "exec sh bomb $1" EXIT
while :; do if [ $1 = many ]; then sh bomb one & sleep 0.1; else sleep 1000 & fi; done
.
`

// TestWatchdog_TooManyProcesses_EndsAll: the kernel counts the processes of all workers together.
// The worker itself and the other workers go on. All can start programs again after a few sweeps.
func TestWatchdog_TooManyProcesses_EndsAll(t *testing.T) {
	for _, pids := range []int{60, 200} {
		t.Run(fmt.Sprint(pids), func(t *testing.T) {
			r := start(t, setup{env: []string{sweepVar + "=50ms"},
				policy: []string{"worker=/bin/sh", "sandbox=landlock", "sandbox_min=off", fmt.Sprint("pids=", pids)}})
			other, w := r.worker(), r.worker()
			w.write(bombProgram + "exec 2>/dev/null; sh bomb many & echo begun; read line")
			if got := w.readLine(); got != "begun" {
				t.Fatal(got)
			}
			hit := nextMessage[spawnwire.LimitHitMessage](r)
			if hit.ID != w.id || hit.Kind != "pids" || hit.Limit != uint64(pids) || hit.Times == 0 {
				t.Errorf("%+v", hit)
			}
			w.write("")
			w.wantAnswer(retryScript, "again")
			other.wantAnswer(retryScript, "again")
			waitUntil(t, "nothing of it to be left", func() bool { return !slices.ContainsFunc(childrenOf(t, w.pid), isRunning) })
			w.checkAlive()
		})
	}
}

// retryScript is a shell script that tries to start a program until it can, and then executes
// another shell. A shell that cannot fork ends. This script then starts again in the same process.
const retryScript = `exec 2>/dev/null; echo 'trap "exec sh again" EXIT; sleep 0; trap - EXIT; echo again; exec sh' >again
exec sh again`

// isRunning reports whether a process has not ended. A zombie has ended.
func isRunning(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ") // no process here has ") " in its name
	return err == nil && !strings.HasPrefix(state, "Z")
}

// TestWatchdog_Threads_CountAsProcesses: the kernel counts threads and processes together.
func TestWatchdog_Threads_CountAsProcesses(t *testing.T) {
	r := start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=landlock", "sandbox_min=off", "pids=50"}})
	w := r.worker()
	w.write(`python3 -c 'import threading, time
for _ in range(100): threading.Thread(target=time.sleep, args=[1000]).start()
time.sleep(1000)' 2>/dev/null`)
	if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "pids" {
		t.Errorf("%+v", hit)
	}
	w.checkAlive()
}

// TestWatchdog_AtTheLimit_EndsNothing: a worker at its limit loses no process and causes no report.
func TestWatchdog_AtTheLimit_EndsNothing(t *testing.T) {
	r := start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=landlock", "sandbox_min=off", "pids=40"}})
	w := r.worker()
	w.wantAnswer(manyProcesses(38), "made")
	before := childrenOf(t, w.pid)
	w.wantAnswer("sleep 0.3; echo slept", "slept") // this takes as long as fifteen measurements
	if after := childrenOf(t, w.pid); len(after) != len(before) || len(after) != 38 {
		t.Errorf("of %d processes %d are left", len(before), len(after))
	}
}

// waitUntil polls for a state that no message reports.
func waitUntil(t *testing.T, what string, there func() bool) {
	t.Helper()
	give, tick := time.After(deadline), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-give:
			t.Fatalf("waited %s for %s", deadline, what)
		case <-tick.C:
		}
	}
}

// ownGroups returns the path of a file that tells a spawner its groups. It lists only top groups,
// because any other group may belong to a program that expects no other processes in it. The path
// is "" if no group has pids.
func ownGroups(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.SplitN(strings.TrimSpace(line), ":", 3); fields[1] == "pids" && fields[2] == "/" {
			path := filepath.Join(t.TempDir(), "self")
			if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	return ""
}

// startGrouped starts a spawner that makes control groups for pids; nil if the tests can use
// no groups here.
func startGrouped(t *testing.T, sweep string, policy ...string) *harness {
	t.Helper()
	if !asRoot() {
		t.Skip("only root can make control groups of cgroup v1")
	}
	self := ownGroups(t)
	if self == "" {
		t.Log("no control groups of cgroup v1 here that the tests may use")
		return nil
	}
	r := start(t, setup{env: []string{groupsVar + "=" + self, sweepVar + "=" + sweep},
		policy: append([]string{"worker=/bin/sh", "sandbox_min=off"}, policy...)})
	if !strings.Contains(r.ready.Limits, "cgroup v1") {
		t.Fatalf("limits: %q", r.ready.Limits)
	}
	return r
}

// groupOf returns a worker's group.
func (r *harness) groupOf(w *testWorker) string {
	return fmt.Sprintf("/sys/fs/cgroup/pids/user-%d-%d", r.cmd.Process.Pid, w.id)
}

// TestGroup_TooManyForks_FailAndAreReported: each worker has its own count of failed forks.
func TestGroup_TooManyForks_FailAndAreReported(t *testing.T) {
	for _, tier := range []string{"accounts", "landlock"} {
		t.Run(tier, func(t *testing.T) {
			r := startGrouped(t, "20ms", "sandbox="+tier, "pids=20")
			if r == nil {
				return
			}
			other, w := r.worker(), r.worker()
			w.wantAnswer("("+manyProcesses(30)+") 2>/dev/null || echo failed", "failed")
			hit := nextMessage[spawnwire.LimitHitMessage](r)
			if hit.ID != w.id || hit.Kind != "pids" || hit.Limit != 20 || hit.Times == 0 {
				t.Errorf("%+v", hit)
			}
			other.wantAnswer(manyProcesses(10), "made")
			w.write("exit")
			if got := nextMessage[spawnwire.ExitedMessage](r); got.ID != w.id {
				t.Errorf("%+v", got)
			}
			if _, err := os.Stat(r.groupOf(w)); !os.IsNotExist(err) {
				t.Errorf("its group is left: %v", err)
			}
		})
	}
}

// TestGroup_LastLimitHit_IsReportedBeforeExit hits a limit after the last sweep.
func TestGroup_LastLimitHit_IsReportedBeforeExit(t *testing.T) {
	r := startGrouped(t, "1h", "pids=20")
	if r == nil {
		return
	}
	w := r.worker()
	w.write("exec 2>/dev/null; " + manyProcesses(30))
	if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "pids" {
		t.Errorf("%+v", hit)
	}
	if got := nextMessage[spawnwire.ExitedMessage](r); got.ID != w.id {
		t.Errorf("%+v", got)
	}
}

// TestWatchdog_GroupsWithoutMemory_AreMeasured: control groups limit the processes, and the
// watchdog limits the memory.
func TestWatchdog_GroupsWithoutMemory_AreMeasured(t *testing.T) {
	r := startGrouped(t, "20ms", fmt.Sprint("memory=", megabytes))
	if r == nil {
		return
	}
	w := r.worker()
	w.write("exec 2>/dev/null; " + strings.Repeat(hog, 3))
	if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "memory" ||
		hit.Limit != megabytes {
		t.Errorf("%+v", hit)
	}
	w.checkAlive()
}

// TestWatchdog_DeeplyNestedHog_IsFound: the watchdog finds a hog below many parent processes.
func TestWatchdog_DeeplyNestedHog_IsFound(t *testing.T) {
	r := start(t, withoutGroups("namespaces"))
	w := r.worker()
	w.wantAnswer(`cat >deep <<'.'
if [ $1 = 0 ]; then `+hog+hog+` echo made; wait; else sh deep $(($1 - 1)); exit; fi
.
exec 2>/dev/null; sh deep 100 &`, "made")
	if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "memory" {
		t.Errorf("%+v", hit)
	}
	w.checkAlive()
}

func TestGroups_SupervisorGone_AreRemoved(t *testing.T) {
	r := startGrouped(t, "20ms")
	if r == nil {
		return
	}
	w := r.worker()
	w.wantAnswer("setsid sleep 1000 <&- >&- 2>&- & echo made", "made")
	if _, err := os.Stat(r.groupOf(w)); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if _, err := os.Stat(r.groupOf(w)); !os.IsNotExist(err) {
		t.Errorf("the group is left: %v", err)
	}
}

// TestGroups_OfKilledSpawner_AreRemoved: the next spawner removes the groups of a killed spawner.
func TestGroups_OfKilledSpawner_AreRemoved(t *testing.T) {
	r := startGrouped(t, "20ms")
	if r == nil {
		return
	}
	w := r.worker()
	w.checkAlive()
	left := r.groupOf(w)
	if _, err := os.Stat(left); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // the error only tells that the spawner was killed
	awaitGone(t, w.pid)
	living := startGrouped(t, "20ms")
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the group of a worker of process %d, which is gone, is left: %v", r.cmd.Process.Pid, err)
		_ = syscall.Rmdir(left)
	}
	v := living.worker()
	third := startGrouped(t, "20ms")
	if _, err := os.Stat(living.groupOf(v)); err != nil {
		t.Errorf("the group of a living worker: %v", err)
	}
	v.checkAlive()
	third.worker().checkAlive()
}

// TestEndPrograms_ByRequest_SparesWorker: only the programs of the named worker end.
func TestEndPrograms_ByRequest_SparesWorker(t *testing.T) {
	for _, tier := range []string{"namespaces", "landlock"} {
		t.Run(tier, func(t *testing.T) {
			r := start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=" + tier, "sandbox_min=off"}})
			other, w := r.worker(), r.worker()
			other.wantAnswer("exec 2>/dev/null; sleep 1000 & echo made", "made")
			request := spawnwire.EndProgramsRequest{ID: w.id, Kind: "disk", Limit: 7}
			r.send(request)
			none := spawnwire.LimitHitMessage{ID: w.id, Kind: "disk", Limit: 7}
			if hit := nextMessage[spawnwire.LimitHitMessage](r); hit != none {
				t.Errorf("without programs: %+v", hit)
			}
			w.wantAnswer("exec 2>/dev/null; (setsid sleep 1000 & sleep 1000) & sleep 1000 & echo made", "made")
			r.send(request)
			none.Times = 1
			if hit := nextMessage[spawnwire.LimitHitMessage](r); hit != none {
				t.Errorf("with programs: %+v", hit)
			}
			waitUntil(t, "its programs to end", func() bool {
				return !slices.ContainsFunc(childrenOf(t, w.pid), isRunning)
			})
			if !slices.ContainsFunc(childrenOf(t, other.pid), isRunning) {
				t.Error("another worker's program has ended")
			}
			w.checkAlive()
			other.checkAlive()
		})
	}
}

// kernelHogs are Python scripts for which the kernel takes more memory than megabytes. The memory
// of the scripts themselves is small.
var kernelHogs = map[string]string{
	"page tables": `
import mmap
step = 2 << 20
many = mmap.mmap(-1, 40000 * step, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
for n in range(40000): many[n * step]`,
	"sockets": `
import os, socket
for child in range(3):
    if os.fork() == 0: break
all = []
for n in range(110):
    a, b = socket.socketpair(); all += [a, b]
    for s in a, b:
        s.setblocking(False)
        try:
            while True: s.send(b"x" * 4096)
        except BlockingIOError: pass`,
}

// TestWatchdog_KernelMemory_Counts: the memory that the kernel takes for a program counts too.
func TestWatchdog_KernelMemory_Counts(t *testing.T) {
	for name, script := range kernelHogs {
		t.Run(name, func(t *testing.T) {
			r := start(t, withoutGroups("namespaces"))
			other, w := r.worker(), r.worker()
			w.write("exec 2>/dev/null; cat >hog.py <<'END'\n" + strings.TrimSpace(script) +
				"\nimport time; time.sleep(1000)\nEND\n/usr/bin/python3 hog.py || echo ended")
			if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "memory" {
				t.Errorf("%+v", hit)
			}
			other.checkAlive()
		})
	}
}

// TestWatchdog_FilesInMemory_Count: files in /tmp and /dev/shm count as the worker's memory. They
// are gone when the worker ends.
func TestWatchdog_FilesInMemory_Count(t *testing.T) {
	r := start(t, withoutGroups("namespaces"))
	other, w := r.worker(), r.worker()
	w.write("head -c 80M /dev/zero >/tmp/a; head -c 80M /dev/zero >/dev/shm/b; sleep 1000")
	if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.ID != w.id || hit.Kind != "memory" {
		t.Errorf("%+v", hit)
	}
	other.checkAlive()
}
