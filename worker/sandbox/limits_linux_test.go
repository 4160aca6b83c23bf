package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// limits returns a worker's soft and hard limits, as in /proc/self/limits.
func (r *testSandbox) limits() map[string][2]string {
	r.t.Helper()
	got := map[string][2]string{}
	for line := range strings.Lines(r.mustPrint("cat /proc/self/limits")) {
		if len(line) > 60 {
			f := strings.Fields(line[26:])
			got[strings.TrimSpace(line[:26])] = [2]string{f[0], f[1]}
		}
	}
	return got
}

func TestPlanLimits_AreSetOnWorker(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		for _, test := range []struct {
			limits Limits
			want   map[string]int64
		}{
			{Limits{}, map[string]int64{"Max open files": 256, "Max processes": 512, "Max file size": 1 << 30,
				"Max data size": 2 << 30, "Max core file size": 0, "Max locked memory": 64 << 10, "Max msgqueue size": 0,
				"Max pending signals": 4096}},
			// With the race detector this program itself takes some hundred MiB before it becomes
			// the worker.
			{Limits{Memory: 900 << 20, File: 5 << 20, PIDs: 40}, map[string]int64{"Max processes": 40, "Max file size": 5 << 20,
				"Max data size": 900 << 20}},
		} {
			r.plan.Limits = test.limits
			got := r.limits()
			for name, most := range test.want {
				if want := fmt.Sprint(most); got[name] != [2]string{want, want} {
					t.Errorf("%s: %q, want %d", name, got[name], most)
				}
			}
		}
	})
}

// TestWorker_Priority_IsLowered: a worker and its programs have a lower priority than the processes
// that must end them. They can't raise their priority again.
func TestWorker_Priority_IsLowered(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		if got := r.mustPrint("nice; nice -n 3 nice; nice -n -5 nice 2>/dev/null"); got != "10\n13\n10" {
			t.Errorf("niceness: %q", got)
		}
	})
}

// TestSharedAccount_OthersRunning_AllowsStart: if the kernel counts all workers' processes
// together, all share one limit above the number of running processes. Otherwise one user's limit
// could keep another user's worker from starting.
func TestSharedAccount_OthersRunning_AllowsStart(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		for pids, want := range map[int]int{40: sharedHeadroom, 5000: 5000} {
			r.plan.Limits = Limits{PIDs: pids, Shared: true}
			got := r.limits()["Max processes"]
			if n, err := strconv.Atoi(got[1]); err != nil || got[0] != got[1] || n <= want || n > want+20_000 {
				t.Errorf("%q, %v; want a little above %d", got, err, want)
			}
		}
	})
}

// TestCountTasks_CountsOnlyAccount: this process counts for its account, and other accounts'
// processes do not.
func TestCountTasks_CountsOnlyAccount(t *testing.T) {
	own, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	if n := countTasks("/proc", os.Getuid()); n < len(own) {
		t.Errorf("%d, and this process alone has %d", n, len(own))
	}
	proc := t.TempDir()
	status := func(name, uid, threads string) string {
		return "Name:\t" + name + "\nState:\tS (sleeping)\nUid:\t" + uid + "\t0\t0\t0\nThreads:\t" + threads + "\nSigQ:\t0/1\n"
	}
	for name, text := range map[string]string{
		"1": status("init", "0", "1"), "7": status("a", "54321", "3"), "8": status(`Uid:\n54321`, "1", "50"),
		"9": status("Threads:", "54321", "4"), "self": status("link", "54321", "100"), "10": "", "11": "Name:\tz\nUid:\t54321",
	} {
		if err := errors.Join(os.Mkdir(proc+"/"+name, 0o755), os.WriteFile(proc+"/"+name+"/status", []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(proc+"/12", 0o755); err != nil { // a process that has just ended
		t.Fatal(err)
	}
	for uid, want := range map[int]int{0: 1, 54321: 7, 1: 50, 2: 0} {
		if got := countTasks(proc, uid); got != want {
			t.Errorf("uid %d has %d, want %d", uid, got, want)
		}
	}
	if got := countTasks(proc+"/nowhere", 0); got != 0 {
		t.Errorf("without /proc: %d", got)
	}
}

// TestLimits_Exceeded_FailOnlyThatProcess: only the process that exceeds a limit fails.
func TestLimits_Exceeded_FailOnlyThatProcess(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.plan.Limits = Limits{Memory: 900 << 20, File: 1 << 20, PIDs: 60, Tmp: 2 << 20}
		if got := r.mustPrint(`head -c 3000000 /dev/zero >big 2>/dev/null; wc -c <big`); got != "1048576" {
			t.Errorf("a file of %s bytes", got)
		}
		if said, err := r.run("exec /usr/bin/python3 -c 'bytearray(1200<<20)' </dev/null"); err == nil || !strings.Contains(said, "MemoryError") {
			t.Errorf("memory: %s, %v", said, err)
		}
		if got := r.mustPrint("ulimit -n 2048 2>/dev/null || ulimit -d unlimited 2>/dev/null || echo stays"); got != "stays" {
			t.Errorf("it raises its limits: %s", got)
		}
		if r.plan.Tier == TierLandlock {
			return // the kernel counts this account's processes together with those of other workers
		}
		forks := "i=0; while [ $i -lt 100 ]; do sleep 30 & i=$((i+1)); done; echo none refused"
		if said, err := r.run(forks); err == nil || strings.Contains(said, "none refused") {
			t.Errorf("processes: %s, %v", said, err)
		}
		if got := r.mustPrint("head -c 900000 /dev/zero >/tmp/a; head -c 900000 /dev/zero >/tmp/b; head -c 900000 /dev/zero >/tmp/c 2>/dev/null" +
			"; expr $(cat /tmp/? | wc -c) / 1000000"); got != "2" {
			t.Errorf("/tmp took %s million bytes", got)
		}
	})
}
