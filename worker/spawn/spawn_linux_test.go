package spawn

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"mews/protocol/spawnwire"
)

// daemon is a shell command for a process that leaves its session and its parent. It prints the
// pid.
const daemon = `(setsid sleep 1000 <&- >&- 2>&- & echo $!)`

func TestWorker_Fresh_HasOnlyGivenResources(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	if r.ready.Tier != "landlock" {
		t.Fatalf("ready: %+v", r.ready)
	}
	w := r.worker()
	home := filepath.Join(r.root, "home1")
	w.wantAnswer("pwd", home)
	r.checkWorker(w)
	checkStatus(t, w.pid, map[string]string{"Seccomp": "2"})
	want := []string{"MEWS_TIER=landlock", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home,
		"TMPDIR=" + home + "/.tmp", "GIT_CONFIG_NOSYSTEM=1"}
	if got := environment(t, w.pid); !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

func TestWorkerStandardError_IsSeparatePipe(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	w := r.worker()
	w.write("echo oops >&2; exit 0")
	buf := make([]byte, 16)
	n, err := w.stderr.Read(buf)
	if err != nil || string(buf[:n]) != "oops\n" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	nextMessage[spawnwire.ExitedMessage](r)
}

func TestExitedMessage_EachEnd_HasItsStatus(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	for script, check := range map[string]func(syscall.WaitStatus) bool{
		"exit 0":         func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 0 },
		"exit 7":         func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 7 },
		"kill -SEGV $$":  func(s syscall.WaitStatus) bool { return s.Signaled() && s.Signal() == syscall.SIGSEGV },
		"exec /bin/true": func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 0 },
	} {
		w := r.worker()
		w.write(script)
		got := nextMessage[spawnwire.ExitedMessage](r)
		if got.ID != w.id || int(got.PID) != w.pid || !check(syscall.WaitStatus(got.Status)) {
			t.Errorf("%q: %+v", script, got)
		}
		if !isGone(w.pid) {
			t.Errorf("%q: reported before it was reaped", script)
		}
	}
}

func TestKill_SignalsOnlyThatWorker(t *testing.T) {
	r := startSpawner(t, noNamespaces...)
	for _, c := range []struct{ asked, died syscall.Signal }{
		{syscall.SIGTERM, syscall.SIGTERM},
		{syscall.SIGKILL, syscall.SIGKILL},
	} {
		other, w := r.worker(), r.worker()
		r.send(spawnwire.KillRequest{ID: w.id, Signal: uint32(c.asked)})
		got := nextMessage[spawnwire.ExitedMessage](r)
		if got.ID != w.id || syscall.WaitStatus(got.Status).Signal() != c.died {
			t.Errorf("signal %v: %+v", c.asked, got)
		}
		r.send(spawnwire.KillRequest{ID: w.id,
			Signal: uint32(c.asked)}) // the kill comes while the worker ends, and is ignored
		other.checkAlive()
	}
}
