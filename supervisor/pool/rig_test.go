package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"mews/protocol"
)

// deadline is how long a test waits for an event. It is reached only if there is a bug.
const deadline = 60 * time.Second

// spawnerPath is the real mews-spawner, built once. workerPath is the test's binary under the name
// of a worker.
var spawnerPath, workerPath string

// TestMain runs the tests. Under other names, the binary runs the processes that the tests need.
func TestMain(m *testing.M) {
	roles := map[string]func(){"mews-worker": beWorker, "mews": beSupervisor}
	if role := roles[filepath.Base(os.Args[0])]; role != nil {
		role()
		return
	}
	dir, err := build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}))
}

func build() (string, error) {
	dir, err := os.MkdirTemp("", "mews-pool-")
	if err != nil {
		return "", err
	}
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	spawnerPath, workerPath = filepath.Join(dir, "mews-spawner"), filepath.Join(dir, "mews-worker")
	if out, err := exec.Command("go", "build", "-o", spawnerPath, "mews/cmd/mews-spawner").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build mews-spawner: %w: %s", err, out)
	}
	return dir, errors.Join(os.Symlink(exe, workerPath), os.Symlink(exe, filepath.Join(dir, "mews")))
}

// spawnerOptions returns options for a spawner without a sandbox. The name of its home tells a
// worker how to behave.
func spawnerOptions(path, worker string) SpawnerOptions {
	o := SpawnerOptions{Path: path, Worker: worker, Tier: "off", Least: "off", Log: hclog.NewNullLogger()}
	if os.Getuid() == 0 { // workers never run as root
		o.UID, o.GID = stranger, stranger
	}
	return o
}

// stranger is an account without a user. Other packages' tests do not use it, because the kernel
// counts processes by account.
const stranger = 54351

// makeHome makes a home for a worker.
func makeHome(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(dir, stranger, stranger)
	}
	return err
}

// quick returns timings for tests: short for bad workers, but long enough for good workers on a
// busy machine.
func quick() Timings {
	return Timings{
		Handshake: 20 * time.Second, PingEvery: 50 * time.Millisecond, PingAnswer: 20 * time.Second,
		Grace: 100 * time.Millisecond, Term: 100 * time.Millisecond, Kill: 20 * time.Second, Write: 20 * time.Second,
		BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond, BreakerDeaths: 1, BreakerWindow: time.Hour,
	}
}

// rig is a running pool. A user's home has the user's name, which says how the worker behaves.
type rig struct {
	t       *testing.T
	root    string
	spawner *Spawner
	pool    *Pool[*testHost]
	stop    func() error // ends the pool and returns Run's error; call it once
}

func newRig(t *testing.T, timings Timings, users ...string) *rig {
	t.Helper()
	spawner, err := StartSpawner(context.Background(), spawnerOptions(spawnerPath, workerPath))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, root: t.TempDir(), spawner: spawner}
	for _, user := range users {
		if err := makeHome(filepath.Join(r.root, user)); err != nil {
			t.Fatal(err)
		}
	}
	r.pool = New(options(spawner, timings))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.pool.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("the pool ended with %v", err)
		}
	})
	return r
}

func options(spawner *Spawner, timings Timings) Options[*testHost] {
	return Options[*testHost]{
		Spawner: spawner, Timings: timings, Log: hclog.NewNullLogger(), Now: time.Now,
		Host: func(user string, end func(error)) *testHost { return &testHost{user: user, end: end} },
	}
}

// specOf returns the spec of a user's worker whose home is below root.
func specOf(root, user string) WorkerSpec {
	return WorkerSpec{Key: user, Profile: ProfileUser, Location: WorkerLocation{Root: root, Path: user},
		Hello: &protocol.Hello{User: user, Home: "."}}
}

// spec returns the spec of a user's worker in the rig. The user "nobody" has no worker.
func (r *rig) spec(user string) WorkerSpec {
	s := specOf(r.root, user)
	if user == "nobody" {
		s.Profile = "none"
	}
	return s
}

// testHost answers the call "whoami", and ends a worker that floods it with notifications.
type testHost struct {
	user     string
	end      func(error)
	welcomed atomic.Bool
	noise    atomic.Int32
}

func (h *testHost) OnHandshake(protocol.HelloResult) { h.welcomed.Store(true) }

func (h *testHost) HandleCall(_ context.Context, req *protocol.Request) (any, error) {
	if req.Method == "whoami" {
		return h.user, nil
	}
	return nil, protocol.MethodNotFoundError(req.Method)
}

func (h *testHost) HandleNotification(*protocol.Request) {
	if h.noise.Add(1) == 1000 {
		h.end(errors.New("it sends too much"))
	}
}

// bounded returns a context that ends after deadline.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	return ctx
}

func (r *rig) acquire(user string) *Worker[*testHost] {
	r.t.Helper()
	w, err := r.pool.Acquire(bounded(r.t), r.spec(user))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(w.Release)
	return w
}

// spoken has the parameters and the result of the method echo.
type spoken struct {
	Word string `json:"word"`
}

// echo lets the worker repeat a word, and checks the answer.
func echo(t *testing.T, w *Worker[*testHost], word string) error {
	said, heard := spoken{word}, spoken{}
	if err := w.Call(bounded(t), "echo", said, &heard); err != nil {
		return err
	}
	if heard != said {
		return fmt.Errorf("said %q, heard %q", said, heard)
	}
	return nil
}

// await fails the test if done is not closed in time.
func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	if !waitFor(deadline, done) {
		t.Fatalf("%s: not within %v", what, deadline)
	}
}

// status returns the state of a user's worker.
func (r *rig) status(user string) WorkerStatus {
	for _, s := range r.pool.List() {
		if s.Key == user {
			return s
		}
	}
	return WorkerStatus{}
}

// isGone reports whether a process does not exist, not even as a zombie.
func isGone(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == syscall.ESRCH }

// beSupervisor runs a pool with two workers, and prints the pids of all its processes as a JSON
// list.
func beSupervisor() {
	spawner, err := StartSpawner(context.Background(), spawnerOptions(os.Args[1], os.Args[2]))
	must(err)
	p := New(options(spawner, quick()))
	ctx := context.Background()
	go func() { must(p.Run(ctx)) }()
	pids := []int{spawner.PID()}
	for _, user := range []string{"good", "stubborn"} {
		w, err := p.Acquire(ctx, specOf(os.Args[3], user))
		must(err)
		var daemons []int
		must(w.Call(ctx, "daemons", nil, &daemons))
		pids = append(append(pids, daemons...), w.process.pid())
	}
	must(json.NewEncoder(os.Stdout).Encode(pids))
	select {}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(1)
	}
}

// PID returns the spawner's process ID; 0 while none runs.
func (s *Spawner) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.cmd == nil {
		return 0
	}
	return s.current.cmd.Process.Pid
}
