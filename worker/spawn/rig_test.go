package spawn

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// deadline is how long a test waits for what must happen. It is never reached but by a defect.
const deadline = 20 * time.Second

// TestMain is the tests, or, executed as "mews-spawner", a spawner with its worker as its first argument.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "mews-spawner" {
		goleak.VerifyTestMain(m)
		return
	}
	conn, err := spawnwire.NewConn(3)
	if err == nil {
		err = Run(conn, Options{Worker: os.Args[1], Roots: os.Args[2:], Sweep: 10 * time.Millisecond})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// rig is a supervisor with a real spawner.
type rig struct {
	t    *testing.T
	conn *spawnwire.Conn
	cmd  *exec.Cmd
	said *strings.Builder // the spawner's standard error; read it after cmd.Wait
	root string
	last uint64
}

// startSpawner starts a spawner whose workers are the program worker, with a descriptor 4 that must not reach them.
func startSpawner(t *testing.T, worker string, roots ...string) *rig {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	conn, theirs, err := spawnwire.Pair()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, conn: conn, said: &strings.Builder{}, root: t.TempDir()}
	r.cmd = exec.Command(exe)
	r.cmd.Args = append([]string{"mews-spawner", worker}, roots...)
	r.cmd.Env = append(os.Environ(), "MEWS_SECRET=not for workers", "GORACE=atexit_sleep_ms=0")
	r.cmd.Stderr = r.said
	r.cmd.ExtraFiles = []*os.File{theirs, os.Stdout}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	ready := next[spawnwire.Ready](r)
	if ready.Version != spawnwire.Version || ready.Tier != "off" || ready.Why == "" {
		t.Fatalf("ready: %+v", ready)
	}
	return r
}

func (r *rig) stop() {
	_ = r.conn.Close()
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Wait()
	}
}

// next is the spawner's next message, which must be an M.
func next[M spawnwire.Message](r *rig) M {
	r.t.Helper()
	if err := r.conn.SetReceiveDeadline(time.Now().Add(deadline)); err != nil {
		r.t.Fatal(err)
	}
	got, _, err := r.conn.Receive()
	m, ok := got.(M)
	if err != nil || !ok {
		r.t.Fatalf("received %#v, %v; want %T", got, err, m)
	}
	return m
}

// process is a worker of the rig.
type process struct {
	t      *testing.T
	id     uint64
	pid    int
	socket net.Conn
	lines  *bufio.Reader
	stderr *os.File
}

// request sends a spawn with its two descriptors and returns our ends.
func (r *rig) request(m spawnwire.Spawn) (socket, stderr *os.File) {
	r.t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		r.t.Fatal(err)
	}
	defer spawnwire.CloseAll([]int{fds[1], pipe[1]})
	if err := r.conn.Send(m, deadline, fds[1], pipe[1]); err != nil {
		r.t.Fatal(err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(pipe[0]), "stderr")
}

// worker starts one in a home of its own.
func (r *rig) worker() *process {
	r.t.Helper()
	r.last++
	home := fmt.Sprintf("home%d", r.last)
	if err := os.Mkdir(filepath.Join(r.root, home), 0o700); err != nil {
		r.t.Fatal(err)
	}
	file, stderr := r.request(spawnwire.Spawn{ID: r.last, Root: r.root, Path: home, Profile: "worker"})
	r.t.Cleanup(func() { _ = stderr.Close() })
	socket, err := net.FileConn(file)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = socket.Close() })
	if err := socket.SetDeadline(time.Now().Add(deadline)); err != nil {
		r.t.Fatal(err)
	}
	started := next[spawnwire.Started](r)
	if started.ID != r.last {
		r.t.Fatalf("started %d, asked for %d", started.ID, r.last)
	}
	return &process{r.t, r.last, int(started.PID), socket, bufio.NewReader(socket), stderr}
}

// tell writes a line of shell to a worker that is /bin/sh.
func (p *process) tell(script string) {
	p.t.Helper()
	if _, err := p.socket.Write([]byte(script + "\n")); err != nil {
		p.t.Fatal(err)
	}
}

// hear reads a line from a worker.
func (p *process) hear() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("heard %q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// pid has a shell print a pid and reads it.
func (p *process) pidOf(script string) int {
	p.t.Helper()
	p.tell(script)
	var pid int
	if _, err := fmt.Sscan(p.hear(), &pid); err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// awaitGone waits until the process has ended. (A pidfd becomes readable then: pidfd_open(2).)
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer spawnwire.CloseAll([]int{fd})
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(deadline.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			t.Fatalf("process %d is still there: %v", pid, err)
		}
		return
	}
}

// isGone says that there is no such process now, not even a zombie.
func isGone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func readProc(t *testing.T, pid int, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func itoa(n int) string { return fmt.Sprint(n) }
