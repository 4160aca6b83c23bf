package escape

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mews/worker/sandbox/escape/escapetest"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// Accounts of the worker's user and of another user. No machine has these accounts, and no other
// package's tests use them. These tests run bombs, and the kernel counts processes by account.
const (
	ownUID   = 54331
	otherUID = 54332
)

// roles are the functions of the test binary by the name under which it is executed.
func roles() map[string]func() {
	return map[string]func(){
		"euid":    func() { fmt.Println(os.Geteuid()) },
		"try":     tryRow,
		"limited": func() { limitSelf(); tryRow() },
		"within":  func() { mountOwnProc(); tryRow() },
		"victim":  beVictim,
	}
}

func TestMain(m *testing.M) {
	if role, ok := roles()[filepath.Base(os.Args[0])]; ok {
		role()
		os.Exit(0)
	}
	// The probes must not find descriptors that this process has inherited.
	if err := unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// tryRow tries the row of the first argument on the victims of standard input.
func tryRow() {
	line, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	watchdogTime = 0 // no watchdog runs in these tests
	v, err := DecodeVictims(string(line))
	if err != nil {
		panic(err)
	}
	fmt.Println(TryProbe(os.Args[1], v).Encode())
}

// limitSelf sets a worker's limits. (NPROC counts for the whole uid, which has no other processes.)
func limitSelf() {
	for what, limit := range map[int]uint64{
		unix.RLIMIT_NOFILE: 1024,
		unix.RLIMIT_NPROC:  512,
		unix.RLIMIT_DATA:   2 << 30,
		unix.RLIMIT_FSIZE:  1 << 30,
	} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
}

// mountOwnProc mounts a /proc of this process's own pid namespace.
func mountOwnProc() {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("proc", "/proc", "proc", 0, "")
	}
	if err != nil {
		panic(err)
	}
}

// beVictim waits for the end of standard input. It allows tracing as far as the kernel's basic
// rules do.
func beVictim() {
	// this call fails if the kernel has no Yama
	_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// harness has the victims, and everything that is needed to try a row on them without walls.
type harness struct {
	t       *testing.T
	dir     string // all accounts may enter this folder
	victims Victims
	root    bool // whether the test runs as root; then the worker and the other user have different accounts
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	dir, err := os.MkdirTemp(home(t), "mews-escape-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &harness{t: t, dir: dir, root: os.Getuid() == 0}
	r.chmod(dir, 0o755)
	r.victims.Secret = "a secret of " + t.Name() + " " + strconv.Itoa(os.Getpid())
	r.programs()
	r.makeFolders()
	r.services()
	r.victims.VictimPID = r.start(r.own())
	r.victims.Worker = r.victims.VictimPID
	if r.root {
		r.victims.SupervisorPID = r.start(nil)
	}
	r.victims.PIDNamespace, err = os.Readlink("/proc/self/ns/pid")
	r.must(err)
	return r
}

// home makes a folder on a file system that lets programs be set-uid.
func home(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.TempDir(), "/var/tmp", "."} {
		var stat unix.Statfs_t
		if err := unix.Statfs(dir, &stat); err == nil && stat.Flags&(unix.ST_NOSUID|unix.ST_NOEXEC) == 0 {
			return dir
		}
	}
	t.Fatal("no folder was found where a program can be set-uid")
	return ""
}

func (r *harness) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *harness) chmod(path string, mode os.FileMode) {
	r.t.Helper()
	r.must(os.Chmod(path, mode))
}

// own returns the account that tries the rows.
func (r *harness) own() *syscall.Credential {
	if !r.root {
		return nil
	}
	return &syscall.Credential{Uid: ownUID, Gid: ownUID}
}

// programs copies the test binary to a folder that all accounts can enter, under each of its names.
func (r *harness) programs() {
	self, err := os.Executable()
	r.must(err)
	binary, err := os.ReadFile(self)
	r.must(err)
	first := filepath.Join(r.dir, "try")
	r.must(os.WriteFile(first, binary, 0o755))
	r.chmod(first, 0o755)
	for _, name := range []string{"limited", "within", "victim"} {
		r.must(os.Link(first, filepath.Join(r.dir, name)))
	}
	if !r.root {
		return
	}
	r.victims.SetUID = filepath.Join(r.dir, "euid")
	r.must(os.WriteFile(r.victims.SetUID, binary, 0o755))
	r.chmod(r.victims.SetUID, 0o755|os.ModeSetuid)
}

// makeFolders makes a workspace with a file above it; and, as root, another user's home and a state
// folder.
func (r *harness) makeFolders() {
	r.victims.OwnOutside = r.file(filepath.Join("above", "outside"), ownUID, 0o755)
	r.victims.Workspace = filepath.Join(r.dir, "above", "workspace")
	r.must(os.Mkdir(r.victims.Workspace, 0o700))
	r.chown(r.victims.Workspace, ownUID)
	r.victims.History = filepath.Dir(r.file(filepath.Join("above", "workspace.history", HistoryFile), ownUID, 0o700))
	r.victims.Marker = filepath.Join(r.victims.Workspace, "marker")
	if r.root {
		r.victims.OtherHome = r.file(filepath.Join("other", "diary"), otherUID, 0o700)
		r.victims.SecretFile = r.file(filepath.Join("state", "key"), 0, 0o700)
	}
}

func (r *harness) file(name string, uid int, mode os.FileMode) string {
	path := filepath.Join(r.dir, name)
	r.must(os.Mkdir(filepath.Dir(path), mode))
	r.chmod(filepath.Dir(path), mode)
	r.must(os.WriteFile(path, []byte(r.victims.Secret), 0o600))
	r.chown(path, uid)
	r.chown(filepath.Dir(path), uid)
	return path
}

func (r *harness) chown(path string, uid int) {
	if r.root {
		r.must(os.Chown(path, uid, uid))
	}
}

// services starts services that send the secret to each client.
func (r *harness) services() {
	v := &r.victims
	v.TCP = r.serve("tcp4", "127.0.0.1:0").String()
	v.Abstract = "mews-escape-" + strconv.Itoa(os.Getpid())
	r.serve("unix", "@"+v.Abstract)
	v.Socket = filepath.Join(r.dir, "socket")
	r.serve("unix", v.Socket)
	r.chmod(v.Socket, 0o777)
}

func (r *harness) serve(network, at string) net.Addr {
	l, err := net.Listen(network, at)
	r.must(err)
	done, secret := make(chan struct{}), r.victims.Secret
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			// an error does not matter: a client may hang up at once
			_, _ = io.WriteString(conn, secret)
			conn.Close()
		}
	}()
	r.t.Cleanup(func() { l.Close(); <-done })
	return l.Addr()
}

// start starts a process with the secret in its environment and pipes for a protocol, and returns
// its pid.
func (r *harness) start(as *syscall.Credential) int {
	cmd := exec.Command(filepath.Join(r.dir, "victim"))
	cmd.Env = []string{"MEWS_SECRET=" + r.victims.Secret, "GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	var ours [2]*os.File
	cmd.Stdin, ours[1] = r.pipe(as)
	ours[0], cmd.Stdout = r.pipe(as)
	r.must(cmd.Start())
	cmd.Stdin.(*os.File).Close()
	cmd.Stdout.(*os.File).Close()
	r.t.Cleanup(func() {
		ours[1].Close()
		if err := cmd.Wait(); err != nil {
			r.t.Errorf("a victim came to harm: %v", err)
		}
		ours[0].Close()
	})
	if line, err := bufio.NewReader(ours[0]).ReadString('\n'); line != "ready\n" {
		r.t.Fatalf("a victim says %q: %v", line, err)
	}
	return cmd.Process.Pid
}

// pipe makes a pipe as if the account had made it: only that account can open it again.
func (r *harness) pipe(as *syscall.Credential) (reader, writer *os.File) {
	reader, writer, err := os.Pipe()
	r.must(err)
	if as != nil {
		r.must(writer.Chown(int(as.Uid), int(as.Gid)))
	}
	return reader, writer
}

// attempt returns a process that tries a row, still without walls.
func (r *harness) attempt(role, row string, as *syscall.Credential) *exec.Cmd {
	cmd := exec.Command(filepath.Join(r.dir, role), row)
	cmd.Dir = r.victims.Workspace
	cmd.Env = []string{"PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setsid: true}
	cmd.Stdin = strings.NewReader(r.victims.Encode())
	return cmd
}

// finding runs an attempt, and then looks for the daemon of row X1.
func (r *harness) finding(cmd *exec.Cmd) Report {
	r.t.Helper()
	row := cmd.Args[1]
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		r.t.Logf("%s: %v: %s", row, err, stderr.String())
		return NewDeathReport(row, err.Error())
	}
	f, err := DecodeReport(strings.TrimSuffix(stdout.String(), "\n"))
	if err != nil {
		r.t.Fatalf("%s: %v", row, err)
	}
	if row != "X1" {
		return f
	}
	f, pid := r.daemonFinding()
	if pid != 0 {
		r.must(unix.Kill(pid, unix.SIGKILL))
	}
	return f
}

// daemonFinding returns the finding of row X1 once its worker has ended, and the pid of a living
// daemon.
func (r *harness) daemonFinding() (Report, int) {
	pid, err := escapetest.FindLockHolder(r.victims.Marker)
	switch {
	case err != nil:
		return Report{"X1", OutcomeUntried, describe(err)}, 0
	case pid == 0:
		return Report{"X1", OutcomeStopped, "the daemon is gone"}, 0
	}
	return Report{"X1", OutcomeEscaped, fmt.Sprintf("the daemon lives on as pid %d", pid)}, pid
}

// logFindings logs all findings, and the number of each outcome.
func (r *harness) logFindings(how string, findings []Report) {
	count := map[Outcome]int{}
	for _, f := range findings {
		count[f.Outcome]++
		r.t.Logf("%-4s %-8s %s", f.Row, f.Outcome, f.Detail)
	}
	r.t.Logf("%s: %v of %d", how, count, len(findings))
}
