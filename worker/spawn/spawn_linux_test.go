package spawn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mews/protocol/spawnwire"
)

// daemon is shell for a process that leaves its session and its parent; its pid is printed.
const daemon = `(setsid sleep 1000 <&- >&- 2>&- & echo $!)`

func TestAFreshWorkerHasNothingButWhatItWasGiven(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	w := r.worker()
	w.tell("pwd")
	if got, want := w.hear(), filepath.Join(r.root, "home1"); got != want {
		t.Errorf("works in %s, want %s", got, want)
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.pid))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, fd := range fds {
		names = append(names, fd.Name())
	}
	if !slices.Equal(names, []string{"0", "1", "2"}) {
		t.Errorf("descriptors %q, want 0, 1 and 2", names)
	}
	want := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + filepath.Join(r.root, "home1"), ""}
	if got := strings.Split(readProc(t, w.pid, "environ"), "\x00"); !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	if got := readProc(t, w.pid, "cmdline"); got != "/bin/sh\x00" {
		t.Errorf("command line %q", got)
	}
	stat := strings.Fields(readProc(t, w.pid, "stat"))
	if stat[3] != fmt.Sprint(r.cmd.Process.Pid) || stat[5] != fmt.Sprint(w.pid) {
		t.Errorf("parent %s and session %s, want %d and its own", stat[3], stat[5], r.cmd.Process.Pid)
	}
	status := readProc(t, w.pid, "status")
	for _, line := range []string{"NoNewPrivs:\t1\n", "SigBlk:\t0000000000000000\n"} {
		if !strings.Contains(status, line) {
			t.Errorf("status lacks %q", line)
		}
	}
}

func TestStandardErrorIsItsOwnPipe(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	w := r.worker()
	w.tell("echo oops >&2; exit 0")
	buf := make([]byte, 16)
	n, err := w.stderr.Read(buf)
	if err != nil || string(buf[:n]) != "oops\n" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	next[spawnwire.Exited](r)
}

func TestAnEndIsReportedWithItsStatus(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	for script, check := range map[string]func(syscall.WaitStatus) bool{
		"exit 0":         func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 0 },
		"exit 7":         func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 7 },
		"kill -SEGV $$":  func(s syscall.WaitStatus) bool { return s.Signaled() && s.Signal() == syscall.SIGSEGV },
		"exec /bin/true": func(s syscall.WaitStatus) bool { return s.Exited() && s.ExitStatus() == 0 },
	} {
		w := r.worker()
		w.tell(script)
		got := next[spawnwire.Exited](r)
		if got.ID != w.id || int(got.PID) != w.pid || !check(syscall.WaitStatus(got.Status)) {
			t.Errorf("%q: %+v", script, got)
		}
		if !isGone(w.pid) {
			t.Errorf("%q: reported before it was reaped", script)
		}
	}
}

func TestSpawnIsRefusedWithAReason(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	outside := t.TempDir()
	for name, err := range map[string]error{
		"file":       os.WriteFile(filepath.Join(r.root, "file"), nil, 0o600),
		"link out":   os.Symlink(outside, filepath.Join(r.root, "out")),
		"link up":    os.Symlink("..", filepath.Join(r.root, "up")),
		"magic link": os.Symlink("/proc/self/cwd", filepath.Join(r.root, "magic")),
		"home":       os.Mkdir(filepath.Join(r.root, "home"), 0o700),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	good := spawnwire.Spawn{Root: r.root, Path: "home", Profile: "worker"}
	for name, c := range map[string]struct {
		change func(*spawnwire.Spawn)
		reason string
	}{
		"another account":       {func(m *spawnwire.Spawn) { m.UID = 54321 }, "cannot change accounts"},
		"no such home":          {func(m *spawnwire.Spawn) { m.Path = "nobody" }, "no such file"},
		"no home":               {func(m *spawnwire.Spawn) { m.Path = "" }, "open home"},
		"a file":                {func(m *spawnwire.Spawn) { m.Path = "file" }, "not a directory"},
		"an absolute home":      {func(m *spawnwire.Spawn) { m.Path = "/tmp" }, "cross-device"},
		"a home above":          {func(m *spawnwire.Spawn) { m.Path = "home/../.." }, "cross-device"},
		"a link out":            {func(m *spawnwire.Spawn) { m.Path = "out" }, "cross-device"},
		"a link up":             {func(m *spawnwire.Spawn) { m.Path = "up" }, "cross-device"},
		"a link through /proc":  {func(m *spawnwire.Spawn) { m.Path = "magic" }, "open home"},
		"a relative root":       {func(m *spawnwire.Spawn) { m.Root = "tmp" }, "absolute"},
		"no such root":          {func(m *spawnwire.Spawn) { m.Root = "/no/such" }, "open root"},
		"an unknown profile":    {func(m *spawnwire.Spawn) { m.Profile = "root" }, "profile"},
		"a very long home name": {func(m *spawnwire.Spawn) { m.Path = strings.Repeat("n", 4000) }, "name too long"},
	} {
		t.Run(name, func(t *testing.T) {
			r.last++
			m := good
			m.ID = r.last
			c.change(&m)
			r.refused(m, c.reason)
		})
	}
	r.worker().tell("exit") // and it goes on
	next[spawnwire.Exited](r)
}

// refused checks that m is refused, and that the descriptors sent with it are closed.
func (r *rig) refused(m spawnwire.Spawn, reason string) {
	r.t.Helper()
	socket, stderr := r.request(m)
	defer func() { _, _ = socket.Close(), stderr.Close() }()
	got := next[spawnwire.Refused](r)
	if got.ID != m.ID || !strings.Contains(got.Reason, reason) {
		r.t.Errorf("refused with %+v, want %q", got, reason)
	}
	if n, err := stderr.Read(make([]byte, 1)); n != 0 || err == nil {
		r.t.Errorf("the pipe is still open: %d, %v", n, err)
	}
}

func TestAHomeThatBelongsToSomebodyElseIsRefused(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	m := spawnwire.Spawn{ID: 1, Root: "/", Path: "proc/1/task", Profile: "worker"} // root's
	if os.Getuid() == 0 {
		m.Root, m.Path = r.root, "theirs"
		dir := filepath.Join(r.root, "theirs")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 54321, 54321); err != nil {
			t.Fatal(err)
		}
	}
	r.refused(m, "belongs to uid")
}

func TestOnlyTheAllowedRootsHoldHomes(t *testing.T) {
	r := startSpawner(t, "/bin/sh", "/srv/no-such")
	r.refused(spawnwire.Spawn{ID: 1, Root: r.root, Path: ".", Profile: "worker"}, "allowed roots")
}

func TestAWorkerThatIsNotThereIsRefused(t *testing.T) {
	r := startSpawner(t, "/no/such/mews-worker")
	r.refused(spawnwire.Spawn{ID: 1, Root: r.root, Path: ".", Profile: "worker"}, "execute /no/such/mews-worker")
}

func TestKillIsBySignalAndByNumber(t *testing.T) {
	r := startSpawner(t, "/bin/sh")
	for _, c := range []struct{ asked, died syscall.Signal }{
		{syscall.SIGTERM, syscall.SIGTERM},
		{syscall.SIGKILL, syscall.SIGKILL},
	} {
		other, w := r.worker(), r.worker()
		r.send(spawnwire.Kill{ID: w.id, Signal: uint32(c.asked)})
		got := next[spawnwire.Exited](r)
		if got.ID != w.id || syscall.WaitStatus(got.Status).Signal() != c.died {
			t.Errorf("signal %v: %+v", c.asked, got)
		}
		r.send(spawnwire.Kill{ID: w.id, Signal: uint32(c.asked)}) // crossed with its end: ignored
		other.tell("echo here")
		if got := other.hear(); got != "here" {
			t.Errorf("the other worker said %q", got)
		}
	}
}

func (r *rig) send(m spawnwire.Message) {
	r.t.Helper()
	if err := r.conn.Send(m, deadline); err != nil {
		r.t.Fatal(err)
	}
}
