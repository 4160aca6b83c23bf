package spawn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol/spawnwire"
	"mews/worker/cgroup"
	"mews/worker/sandbox/escape"
)

// rowProgram is the name under which a worker runs the test binary. The binary then tries one row
// of the escapes.
const rowProgram = "try"

// installRow puts rowProgram into a worker's home.
func (r *harness) installRow(w *testWorker) {
	r.t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		r.t.Fatal(err)
	}
	path := filepath.Join(r.root, "home"+string('0'+byte(w.id)), rowProgram)
	if err := os.WriteFile(path, program, 0o755); err != nil {
		r.t.Fatal(err)
	}
	giveToWorkers(r.t, path)
}

// TestWatchdog_PoolExceeded_EndsPrograms: only the watchdog stops these escapes. The worker and
// other workers keep running.
func TestWatchdog_PoolExceeded_EndsPrograms(t *testing.T) {
	kinds := map[string]string{"Q12": "watches", "Q13": "pipes"}
	for _, tier := range []string{"namespaces", "landlock"} {
		for _, p := range escape.AllProbes() {
			if !p.Watched {
				continue
			}
			t.Run(tier+" "+p.Row, func(t *testing.T) {
				r := start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=" + tier, "sandbox_min=off"}})
				other, w := r.worker(), r.worker()
				r.installRow(w)
				w.write("exec 2>/dev/null; ./" + rowProgram + " " + p.Row + " || echo ended")
				hit := nextMessage[spawnwire.LimitHitMessage](r)
				if hit.ID != w.id || hit.Kind != kinds[p.Row] || hit.Limit == 0 || hit.Times != 1 {
					t.Errorf("%+v", hit)
				}
				if got := w.readLine(); got != "ended" {
					t.Errorf("%s: %s", p.Row, got)
				}
				other.checkAlive()
				w.checkAlive()
			})
		}
	}
}

// holderScripts are Python scripts that open descriptors and keep them. The watchdog must see each
// kind of descriptor, even if a socket or an unusual process holds it.
var holderScripts = map[string]struct{ kind, script string }{
	"epoll in flight": {"watches", `
import select, socket
all = []
for n in range(40):
    a, b = socket.socketpair(); all += [a, b]
    e = select.epoll(); socket.send_fds(a, [b"x"], [e.fileno()]); e.close()`},
	"ended first thread": {"watches", `
import ctypes, os, select, threading
def fill():
    files = [os.eventfd(0) for n in range(60)]
    all = []
    while True:
        e = select.epoll(); all.append(e)
        for number in range(180, 240):
            for f in files:
                os.dup2(f, number); e.register(number, select.EPOLLIN)
        if len(all) == 100: threading.Event().wait()
threading.Thread(target=fill).start()
ctypes.CDLL(None).pthread_exit(None)`},
	"terminals": {"terminals", `
import os
all = [os.openpty() for n in range(70)]`},
}

// TestWatchdog_HiddenDescriptors_AreCounted: the watchdog also counts descriptors that no process
// lists, and descriptors of a process's other threads.
func TestWatchdog_HiddenDescriptors_AreCounted(t *testing.T) {
	for name, c := range holderScripts {
		t.Run(name, func(t *testing.T) {
			r := start(t, setup{policy: []string{"worker=/bin/sh", "sandbox=landlock", "sandbox_min=off"}})
			w := r.worker()
			w.write("exec 2>/dev/null; cat >keep.py <<'END'\n" + strings.TrimSpace(c.script) + "\nimport time; time.sleep(1000)\nEND\n" +
				"/usr/bin/python3 keep.py || echo ended")
			if hit := nextMessage[spawnwire.LimitHitMessage](r); hit.Kind != c.kind {
				t.Errorf("%+v, want %s", hit, c.kind)
			}
			if got := w.readLine(); got != "ended" {
				t.Errorf("it says %s", got)
			}
		})
	}
}

// TestPoolLimits_UnknownPool_HasNoLimit: a machine that does not report its total has no limit.
func TestPoolLimits_UnknownPool_HasNoLimit(t *testing.T) {
	if got := cgroup.ReadPoolLimits(t.TempDir()); got != (cgroup.PoolCounts{}) {
		t.Errorf("%+v", got)
	}
	if got := cgroup.ReadPoolLimits("/proc"); min(got.Watches, got.Pipes, got.Terminals) <= 0 {
		t.Errorf("%+v", got)
	}
}
