package spawn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// supervise is the role of a spawner that a service manager has started. Its arguments are a
// policy, "--" and a program.
func supervise(args []string) error {
	end := slices.Index(args, "--")
	o, err := options(args[:end])
	if err != nil {
		return err
	}
	return SuperviseProgram(args[end+1:], o)
}

// actSupervised is the role of mews. It asks for a worker in the folder of its argument, prints its
// own pid and the worker's, and runs until its standard input ends.
func actSupervised(args []string) error {
	var fd int
	if _, err := fmt.Sscan(os.Getenv(SocketVariable), &fd); err != nil {
		return fmt.Errorf("%s: %w", SocketVariable, err)
	}
	conn, err := spawnwire.NewConn(fd)
	if err != nil {
		return err
	}
	if m, _, err := conn.Receive(); err != nil {
		return fmt.Errorf("%+v: %w", m, err)
	}
	socket, _, err := ask(conn, spawnwire.SpawnRequest{ID: 1, Root: filepath.Dir(args[0]), Path: filepath.Base(args[0]),
		Profile: "worker"})
	if err != nil {
		return err
	}
	m, _, err := conn.Receive()
	started, ok := m.(spawnwire.StartedMessage)
	if err != nil || !ok {
		return fmt.Errorf("%+v, %w", m, err)
	}
	fmt.Println(os.Getpid(), started.PID)
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, socket.Close())
}

// supervised is a program that a spawner has started and serves.
type supervised struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	said  *strings.Builder
}

// startSupervised starts a spawner that starts a program.
func startSupervised(t *testing.T, attr *syscall.SysProcAttr, program ...string) *supervised {
	t.Helper()
	args := append([]string{"supervise"}, withAccount([]string{"worker=/bin/sh", "--"})...)
	s := &supervised{t: t, cmd: command(t, append(args, program...)...), said: &strings.Builder{}}
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stdout.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	s.stdin, s.lines = stdin, bufio.NewReader(stdout)
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.SysProcAttr = theirs, s.said, attr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Wait()
		}
		_ = stdout.Close()
	})
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *supervised) hear() string {
	s.t.Helper()
	line, err := s.lines.ReadString('\n')
	if err != nil {
		_ = s.stdin.Close()
		_ = s.cmd.Wait()
		s.t.Fatalf("heard %q, %v (the spawner said: %s)", line, err, s.said)
	}
	return strings.TrimSuffix(line, "\n")
}

// wantStatus waits for the spawner's end.
func (s *supervised) wantStatus(status int) {
	s.t.Helper()
	_ = s.cmd.Wait() // only the output is compared
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("the spawner ended with status %d, want %d: %s", got, status, s.said)
	}
}

// TestSupervise_ProgramEnds_ReturnsStatus also tries a program that ends before it has received a
// message.
func TestSupervise_ProgramEnds_ReturnsStatus(t *testing.T) {
	for script, c := range map[string]struct {
		status int
		said   string
	}{
		"exit 0":         {0, ""},
		"exit 3":         {3, "mews-spawner: /bin/sh ended with status 3\n"},
		"kill -KILL $$":  {137, "mews-spawner: /bin/sh ended with status 137\n"},
		"read x; exit 4": {4, "mews-spawner: /bin/sh ended with status 4\n"},
		// The remaining process still holds the socket, but the spawner does not wait for that.
		"setsid sleep 1000 <&- >&- 2>&- & exit 5": {5, "mews-spawner: /bin/sh ended with status 5\n"},
	} {
		s := startSupervised(t, nil, "/bin/sh", "-c", script)
		if err := s.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		s.wantStatus(c.status)
		if s.said.String() != c.said {
			t.Errorf("%q: said %q, want %q", script, s.said, c.said)
		}
	}
}

func TestSupervise_MissingProgram_Fails(t *testing.T) {
	s := startSupervised(t, nil, "/no/such/mews")
	s.wantStatus(1)
	if !strings.Contains(s.said.String(), "start /no/such/mews") {
		t.Errorf("said %q", s.said)
	}
}

func TestSupervise_Signals_ReachProgram(t *testing.T) {
	for privilege, attr := range spawners() {
		t.Run(privilege, func(t *testing.T) {
			s := startSupervised(t, attr, "/bin/sh", "-c", `
				for s in HUP USR1 INT; do trap "echo heard $s" $s; done
				trap 'echo heard TERM; exit 6' TERM
				echo ready; while :; do read x; done`)
			if got := s.hear(); got != "ready" {
				t.Fatalf("said %q", got)
			}
			for _, c := range []struct {
				sig  syscall.Signal
				want string
			}{{syscall.SIGHUP, "heard HUP"}, {syscall.SIGUSR1, "heard USR1"}, {syscall.SIGINT, "heard INT"},
				{syscall.SIGTERM, "heard TERM"}} {
				if err := s.cmd.Process.Signal(c.sig); err != nil {
					t.Fatal(err)
				}
				if got := s.hear(); got != c.want {
					t.Errorf("said %q, want %q", got, c.want)
				}
			}
			s.wantStatus(6)
		})
	}
}

// TestSupervise_Program_HasNoPrivilege: a spawner that is not root has the given capabilities, and
// its program has none.
func TestSupervise_Program_HasNoPrivilege(t *testing.T) {
	for privilege, attr := range spawners() {
		t.Run(privilege, func(t *testing.T) {
			s := startSupervised(t, attr, "/bin/sh", "-c", "echo $$ $MEWS_SPAWNER_FD; read x")
			var pid, fd int
			if _, err := fmt.Sscan(s.hear(), &pid, &fd); err != nil || fd != 3 {
				t.Fatal(fd, err)
			}
			if privilege != "root" { // a spawner that runs as root keeps root's powers
				checkStatus(t, pid, powerless)
			}
			checkStatus(t, pid, map[string]string{"NoNewPrivs": "1", "Seccomp": "0"})
			fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
			if err != nil || len(fds) != 4 {
				t.Errorf("descriptors %v, %v; want 0 to 3", fds, err)
			}
			if err := s.stdin.Close(); err != nil {
				t.Fatal(err)
			}
			s.wantStatus(1) // read returns 1 at the end of its input
		})
	}
}

// TestSupervise_ProgramEnds_LeavesNoProcess: no process is left, whether the program exits or is
// killed.
func TestSupervise_ProgramEnds_LeavesNoProcess(t *testing.T) {
	for privilege, attr := range spawners() {
		t.Run(privilege, func(t *testing.T) {
			for status, end := range map[int]func(s *supervised, pid int) error{
				0:   func(s *supervised, _ int) error { return s.stdin.Close() },
				137: func(_ *supervised, pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
				143: func(s *supervised, _ int) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
			} {
				dir := makeHomesFolder(t)
				home := filepath.Join(dir, "home")
				if err := os.Mkdir(home, 0o700); err != nil {
					t.Fatal(err)
				}
				giveToWorkers(t, home)
				s := startSupervised(t, attr, copyOf(t, dir), "mews", home)
				var pid, worker int
				if _, err := fmt.Sscan(s.hear(), &pid, &worker); err != nil {
					t.Fatal(err)
				}
				if isGone(worker) {
					t.Error("the worker has ended by itself")
				}
				if err := end(s, pid); err != nil {
					t.Fatal(err)
				}
				s.wantStatus(status)
				if !isGone(worker) {
					t.Errorf("after %d the worker is left", status)
				}
			}
		})
	}
}

// copyOf copies the test binary to a folder that every account can reach, under the name that has a
// role.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "mews-spawner")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadPolicyFile_WritableByOthers_IsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy")
	if _, err := ReadPolicyFile(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a policy that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte("worker /w\nuids 2000-2999\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPolicyFile(path)
	if asRoot() && (err != nil || p.Worker != "/w" || p.UIDs != sandbox.IDRange{From: 2000, To: 2999}) {
		t.Errorf("root's: %+v, %v", p, err)
	}
	for name, c := range map[string]struct {
		mode os.FileMode
		uid  int
	}{
		"the group's to write": {0o664, os.Getuid()}, "everybody's": {0o646, os.Getuid()}, "somebody's": {0o644, workersUID()},
	} {
		if err := errors.Join(os.Chmod(path, c.mode), os.Chown(path, c.uid, -1)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPolicyFile(path); err == nil || !strings.Contains(err.Error(),
			"must be root's, and nobody else's to write") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadPolicyFile_UnknownKey_NamesItsLine(t *testing.T) {
	if !asRoot() {
		t.Skip("a policy counts only if its file is root's")
	}
	path := filepath.Join(t.TempDir(), "policy")
	mistake := os.WriteFile(path, []byte("worker /w\nuid 2000\n"), 0o644)
	if err := errors.Join(mistake, os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPolicyFile(path); err == nil || !strings.Contains(err.Error(), path+": line 2: there is no key") {
		t.Errorf("a mistake: %v", err)
	}
}
