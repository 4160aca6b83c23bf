package spawn

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// testWorker is a worker of the harness: a shell.
type testWorker struct {
	t      *testing.T
	id     uint64
	pid    int
	socket net.Conn
	lines  *bufio.Reader
	stderr *os.File
	fault  string // why it has no history, as the spawner answered
}

// request sends a request to start a worker, with two descriptors. It returns the test's ends of
// these descriptors.
func (r *harness) request(m spawnwire.SpawnRequest) (socket, stderr *os.File) {
	r.t.Helper()
	socket, stderr, err := ask(r.conn, m)
	if err != nil {
		r.t.Fatal(err)
	}
	return socket, stderr
}

func ask(conn *spawnwire.Conn, m spawnwire.SpawnRequest) (socket, stderr *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, err
	}
	defer spawnwire.CloseDescriptors([]int{fds[1], pipe[1]})
	err = conn.Send(m, deadline, fds[1], pipe[1])
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(pipe[0]), "stderr"), err
}

// worker starts a worker in a new home.
func (r *harness) worker() *testWorker {
	r.t.Helper()
	return r.workerOf(spawnwire.SpawnRequest{})
}

// workerOf starts a worker by a request, in a new home.
func (r *harness) workerOf(m spawnwire.SpawnRequest) *testWorker {
	r.t.Helper()
	r.last++
	m.ID, m.Root, m.Path, m.Profile = r.last, r.root, fmt.Sprintf("home%d", r.last), "worker"
	if !m.MakeHome {
		r.makeFolder(m.Path)
	}
	file, stderr := r.request(m)
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
	started := nextMessage[spawnwire.StartedMessage](r)
	if started.ID != r.last {
		r.t.Fatalf("started %d, asked for %d", started.ID, r.last)
	}
	return &testWorker{r.t, r.last, int(started.PID), socket, bufio.NewReader(socket), stderr, started.HistoryFault}
}

// write sends a line of shell to a worker.
func (p *testWorker) write(script string) {
	p.t.Helper()
	if _, err := p.socket.Write([]byte(script + "\n")); err != nil {
		p.t.Fatal(err)
	}
}

// readLine reads a line from a worker.
func (p *testWorker) readLine() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		_ = p.socket.Close()
		buf := make([]byte, 4096)
		n, _ := p.stderr.Read(buf)
		p.t.Fatalf("heard %q, %v; its standard error: %s", line, err, buf[:n])
	}
	return strings.TrimSuffix(line, "\n")
}

// wantAnswer makes a worker run a line of shell, and compares its output line.
func (p *testWorker) wantAnswer(script, want string) {
	p.t.Helper()
	p.write(script)
	if got := p.readLine(); got != want {
		p.t.Errorf("%s: %q, want %q", script, got, want)
	}
}

// checkAlive checks that a worker still answers.
func (p *testWorker) checkAlive() {
	p.t.Helper()
	p.wantAnswer("echo here", "here")
}

// pidOf makes a shell print a pid and reads it. Without namespaces that is the pid on the host.
func (p *testWorker) pidOf(script string) int {
	p.t.Helper()
	p.write(script)
	var pid int
	if _, err := fmt.Sscan(p.readLine(), &pid); err != nil {
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
	defer spawnwire.CloseDescriptors([]int{fd})
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

// isGone reports whether there is no such process, not even a zombie.
func isGone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// childrenOf returns the pids of a process's children, on the host.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	var list []int
	for _, field := range strings.Fields(readProc(t, pid, fmt.Sprintf("task/%d/children", pid))) {
		child, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, child)
	}
	return list
}

func readProc(t *testing.T, pid int, name string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// statusOf returns a value of /proc/PID/status.
func statusOf(t *testing.T, pid int, key string) string {
	t.Helper()
	for line := range strings.Lines(readProc(t, pid, "status")) {
		if name, value, _ := strings.Cut(line, ":"); name == key {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	t.Fatalf("the status of process %d has no %s", pid, key)
	return ""
}

// checkStatus compares values of /proc/PID/status.
func checkStatus(t *testing.T, pid int, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got := statusOf(t, pid, key); got != value {
			t.Errorf("process %d has %s: %s, want %s", pid, key, got, value)
		}
	}
}

// powerless is the status of a process with only its account's powers.
var powerless = map[string]string{
	"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000", "CapAmb": "0000000000000000",
	"NoNewPrivs": "1", "SigBlk": "0000000000000000",
}

// checkWorker checks what all workers have in common, with any walls.
func (r *harness) checkWorker(w *testWorker) {
	t := r.t
	t.Helper()
	w.checkAlive() // before its first answer the process is still stage one
	checkStatus(t, w.pid, powerless)
	uid := fmt.Sprint(workersUID())
	checkStatus(t, w.pid, map[string]string{"Uid": strings.Join([]string{uid, uid, uid, uid}, " ")})
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
	if got := readProc(t, w.pid, "cmdline"); got != "mews-worker\x00" {
		t.Errorf("command line %q", got)
	}
	stat := strings.Fields(readProc(t, w.pid, "stat"))
	if stat[3] != fmt.Sprint(r.cmd.Process.Pid) || stat[5] != fmt.Sprint(w.pid) {
		t.Errorf("parent %s and session %s, want %d and its own", stat[3], stat[5], r.cmd.Process.Pid)
	}
}

// environment returns the environment that a process started with.
func environment(t *testing.T, pid int) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(readProc(t, pid, "environ"), "\x00"), "\x00")
}
