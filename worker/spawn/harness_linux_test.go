package spawn

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/cgroup"
	"mews/worker/sandbox"
	"mews/worker/sandbox/escape"
)

// deadline bounds each wait of a test. Only a defect reaches the deadline.
const deadline = time.Minute

// Accounts that no machine has and no other package's tests use: the kernel counts processes by
// account.
const (
	testWorkerUID  = 54341 // uid of workers if the tests are root
	testSpawnerUID = 54400 // uid of a spawner that root has given capabilities
)

// roles are the functions that the test binary runs under the name "mews-spawner". The first
// argument selects the function.
var roles = map[string]func(args []string) error{
	sandbox.StageOneArgument:   func([]string) error { return sandbox.RunStageOne() },
	sandbox.StageZeroArgument:  func([]string) error { return sandbox.RunStageZero() },
	sandbox.MakeFolderArgument: func([]string) error { return sandbox.RunMakeFolder() },
	"serve":                    serve,
	"supervise":                supervise,
	"mews":                     actSupervised,
	"tell":                     tellStates,
	"become":                   tryOtherAccounts,
	"without":                  serveWithout,
}

// TestMain runs the tests, or one of the roles.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "mews-worker":
		if os.Getenv("MEWS_HISTORY") != "" {
			actAsKeeper()
			return
		}
		actAsFirst()
		return
	case rowProgram:
		fmt.Println(escape.TryProbe(os.Args[1], escape.Victims{}).Outcome)
		return
	}
	if filepath.Base(os.Args[0]) != "mews-spawner" {
		goleak.VerifyTestMain(m)
		return
	}
	err := roles[os.Args[1]](os.Args[2:])
	status := 0
	if err != nil {
		fmt.Fprintln(os.Stderr, "mews-spawner:", err)
		status = 1
	}
	var ended ProgramExitError
	if errors.As(err, &ended) {
		status = ended.Status
	}
	syscall.Exit(status) // syscall.Exit, because os.Exit waits a second with the race detector
}

// Variables for a spawner of the tests: how often to sweep, where its control groups are, and how
// many processes its workers' account may have.
const (
	sweepVar  = "MEWS_TEST_SWEEP"
	groupsVar = "MEWS_TEST_GROUPS"
	roomVar   = "MEWS_TEST_ROOM"
	noGroups  = "/no/such/file"
)

// options makes the options of a spawner from its arguments, which are KEY=VALUE of its policy.
func options(args []string) (o Options, err error) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if err := o.SetKey(key, value); err != nil {
			return o, err
		}
	}
	o.Groups = cgroup.Options{Self: cmp.Or(os.Getenv(groupsVar), noGroups)}
	o.Sweep, err = time.ParseDuration(cmp.Or(os.Getenv(sweepVar), "20ms"))
	return o, errors.Join(err, o.Validate())
}

func serve(args []string) error {
	o, err := options(args)
	if err != nil {
		return err
	}
	if room, err := strconv.ParseUint(os.Getenv(roomVar), 10, 31); err == nil {
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: room, Max: room}); err != nil {
			return err
		}
	}
	conn, err := spawnwire.NewConn(3)
	if err != nil {
		return err
	}
	return Run(conn, o)
}

// harness is a supervisor with a real spawner.
type harness struct {
	t     *testing.T
	conn  *spawnwire.Conn
	cmd   *exec.Cmd
	said  *strings.Builder // standard error of the spawner; read it after cmd.Wait
	root  string           // folder of homes and workspaces
	ready spawnwire.ReadyMessage
	last  uint64
}

// setup describes how to start a spawner of the tests.
type setup struct {
	attr   *syscall.SysProcAttr
	env    []string
	policy []string // policy lines KEY=VALUE, after the lines that every test has
}

// makeHomesFolder makes a folder that every account can reach.
func makeHomesFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews-spawn-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asRoot reports whether the tests can give each worker its own account.
func asRoot() bool { return os.Getuid() == 0 }

// workersUID returns the account of the workers.
func workersUID() int {
	if asRoot() {
		return testWorkerUID
	}
	return os.Getuid()
}

// giveToWorkers gives a path to the workers' account.
func giveToWorkers(t testing.TB, path string) {
	t.Helper()
	if !asRoot() {
		return
	}
	if err := os.Chown(path, testWorkerUID, testWorkerUID); err != nil {
		t.Fatal(err)
	}
}

// makeFolder makes a folder in the harness's root that the workers' account owns.
func (r *harness) makeFolder(name string) string {
	r.t.Helper()
	path := filepath.Join(r.root, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		r.t.Fatal(err)
	}
	giveToWorkers(r.t, path)
	return path
}

// noNamespaces are the policy lines for the landlock tier, in which workers share the host's pids.
var noNamespaces = []string{"sandbox=landlock", "sandbox_min=off"}

// startSpawner starts a spawner whose workers are shells.
func startSpawner(t *testing.T, policy ...string) *harness {
	t.Helper()
	return start(t, setup{policy: append([]string{"worker=/bin/sh"}, policy...)})
}

// start starts a spawner, with a descriptor 4 that must not reach its workers.
func start(t *testing.T, s setup) *harness {
	t.Helper()
	r := &harness{t: t, said: &strings.Builder{}, root: makeHomesFolder(t)}
	conn, theirs, err := spawnwire.NewConnPair()
	if err != nil {
		t.Fatal(err)
	}
	r.conn = conn
	r.cmd = command(t, append([]string{"serve"}, withAccount(s.policy)...)...)
	r.cmd.Env = append(r.cmd.Env, s.env...)
	r.cmd.Stderr = r.said
	r.cmd.SysProcAttr = s.attr
	r.cmd.ExtraFiles = []*os.File{theirs, os.Stdout}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	r.ready = nextMessage[spawnwire.ReadyMessage](r)
	if r.ready.Version != spawnwire.Version || r.ready.Why == "" || r.ready.Limits == "" {
		t.Fatalf("ready: %+v", r.ready)
	}
	return r
}

// command returns the test binary as "mews-spawner". Its environment has a secret that workers must
// not get.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe") // other accounts can reach the binary by this name
	cmd.Args = append([]string{"mews-spawner"}, args...)
	cmd.Env = append(os.Environ(), "MEWS_SECRET=not for workers")
	return cmd
}

// withAccount adds the workers' account in the tests to a policy.
func withAccount(policy []string) []string {
	if !asRoot() {
		return policy
	}
	return append([]string{fmt.Sprintf("account=%d:%d", testWorkerUID, testWorkerUID)}, policy...)
}

func (r *harness) stop() {
	_ = r.conn.Close()
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Wait()
	}
	if r.t.Failed() {
		r.t.Logf("the spawner said: %s", r.said)
	}
}

// nextMessage returns the spawner's next message, which must be of type M.
func nextMessage[M spawnwire.Message](r *harness) M {
	r.t.Helper()
	if err := r.conn.SetReceiveDeadline(time.Now().Add(deadline)); err != nil {
		r.t.Fatal(err)
	}
	got, _, err := r.conn.Receive()
	m, ok := got.(M)
	if err != nil || !ok {
		if err != nil && r.cmd.ProcessState == nil {
			_ = r.conn.Close()
			_ = r.cmd.Wait()
		}
		r.t.Fatalf("received %#v, %v; want %T (the spawner said: %s)", got, err, m, r.said)
	}
	return m
}

func (r *harness) send(m spawnwire.Message) {
	r.t.Helper()
	if err := r.conn.Send(m, deadline); err != nil {
		r.t.Fatal(err)
	}
}

// kill asks the spawner to kill a worker, and waits for its end.
func (r *harness) kill(p *testWorker) {
	r.t.Helper()
	r.send(spawnwire.KillRequest{ID: p.id, Signal: uint32(syscall.SIGKILL)})
	if got := nextMessage[spawnwire.ExitedMessage](r); got.ID != p.id || int(got.PID) != p.pid {
		r.t.Errorf("exited: %+v, want worker %d, pid %d", got, p.id, p.pid)
	}
}
