package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// deadline ends a program that hangs. Only a defect reaches the deadline.
const deadline = time.Minute

// testSandbox is a home and one workspace, and the plan of a worker for them.
type testSandbox struct {
	t         testing.TB
	privilege Privilege
	plan      Plan
	base      string // folder of the home and of the workspace "code", on the host
	program   string
	self      string // path of the program that becomes stage one
}

// ownPrivilege returns the privilege of this process.
func ownPrivilege(t testing.TB) Privilege {
	t.Helper()
	privilege, err := OwnPrivilege()
	if err != nil {
		t.Fatal(err)
	}
	return privilege
}

// buildableTiers returns the tiers with walls that this process can build.
func buildableTiers(t testing.TB) []Tier {
	tiers := []Tier{TierNamespaces, TierLandlock}
	if ownPrivilege(t) != PrivilegeNone {
		tiers = append(tiers, TierAccounts)
	}
	return tiers
}

// historyName is the name of the file history's folder, beside the home.
const historyName = "home.history"

// newTestSandbox makes a sandbox whose worker is a shell, with the account testUID if this process
// may use it.
func newTestSandbox(t testing.TB, tier Tier) *testSandbox {
	t.Helper()
	r := &testSandbox{t: t, privilege: ownPrivilege(t), program: "/bin/sh", self: selfExe}
	uid := os.Getuid()
	if r.privilege == PrivilegeRoot {
		uid = testUID
	}
	r.base = homeOf(t, uid)
	for _, name := range []string{"home", "code", historyName} {
		r.must(os.Mkdir(filepath.Join(r.base, name), 0o700))
		r.must(os.Chown(filepath.Join(r.base, name), uid, uid))
	}
	r.plan = Plan{Tier: tier, Profile: ProfileWorker, Worker: r.program, UID: uid, GID: uid}
	if r.privilege == PrivilegeNone {
		r.plan.UID, r.plan.GID = -1, -1
	}
	r.plan.Home = r.checkedBind("home")
	code := r.checkedBind("code")
	code.Name, code.Writable = "code", true
	r.plan.Binds = []BindMount{code}
	return r
}

// keepHistory gives the worker a file history.
func (r *testSandbox) keepHistory() { r.plan.History = r.checkedBind(historyName) }

func (r *testSandbox) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// host returns a path in base on the host.
func (r *testSandbox) host(name string) string { return filepath.Join(r.base, name) }

// parent returns the pid of the test process, on the host.
func parent() string { return strconv.Itoa(os.Getpid()) }

// checkedBind returns a folder in base as a spawner has checked it.
func (r *testSandbox) checkedBind(path string) BindMount {
	r.t.Helper()
	b, fd, err := OpenBindMount(r.base, path)
	r.must(err)
	r.must(unix.Close(fd))
	return b
}

// start starts the program. The calling goroutine is locked to its thread.
func (r *testSandbox) start(in, out *os.File) (int, error) {
	home, err := unix.Open(filepath.Join(r.base, "home"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(home)
	program, err := unix.Open(r.program, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(program)
	plan := r.plan
	history := -1
	if plan.History != (BindMount{}) {
		folder, err := unix.Open(r.host(historyName), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, err
		}
		if history, err = plan.PassHistory(folder, r.privilege); err != nil {
			return 0, err
		}
		if history >= 0 {
			defer unix.Close(history)
		}
	}
	launch, err := plan.NewLaunch(r.privilege)
	if err != nil {
		return 0, err
	}
	launch.self, launch.History = r.self, uintptr(max(history, 0))
	return launch.StartStageOne(home, in.Fd(), out.Fd(), out.Fd(), uintptr(program))
}

// run gives the program a script to read, and returns the output of the program and its children.
func (r *testSandbox) run(script string) (string, error) {
	r.t.Helper()
	runtime.LockOSThread() // the worker ends with the thread that started it
	defer runtime.UnlockOSThread()
	in, tell, err := os.Pipe()
	r.must(err)
	defer in.Close()
	_, err = tell.WriteString(script)
	r.must(errors.Join(err, tell.Close()))
	hear, say, err := os.Pipe()
	r.must(err)
	defer hear.Close()
	pid, err := r.start(in, say)
	r.must(say.Close())
	if err != nil {
		return "", err
	}
	end := time.AfterFunc(deadline, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	defer end.Stop()
	said, err := io.ReadAll(hear)
	return string(said), errors.Join(err, waitExit(pid))
}

// mustPrint returns the output of a script that must succeed.
func (r *testSandbox) mustPrint(script string) string {
	r.t.Helper()
	said, err := r.run(script)
	if err != nil {
		r.t.Fatalf("%s:\n%s\n%v\n%s", r.plan.Tier, script, err, said)
	}
	return strings.TrimSpace(said)
}

// inEach runs a test in each tier that this process can build.
func inEach(t *testing.T, tiers []Tier, test func(t *testing.T, r *testSandbox)) {
	for _, tier := range tiers {
		t.Run(string(tier), func(t *testing.T) { test(t, newTestSandbox(t, tier)) })
	}
}

// tiersWithRoot returns the tiers in which a worker has its own root.
func tiersWithRoot(t testing.TB) []Tier {
	var list []Tier
	for _, tier := range buildableTiers(t) {
		if tier.AtLeast(TierNamespaces) {
			list = append(list, tier)
		}
	}
	return list
}
