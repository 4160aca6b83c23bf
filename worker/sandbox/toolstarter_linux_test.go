package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestToolStarter_LaterStarts_MakeNoThread: after its first start a worker has all threads to start
// programs and wait for them. Go ends a process that cannot make a thread, so a program that
// reaches the process limit could end its worker. A program cannot signal any of those threads.
func TestToolStarter_LaterStarts_MakeNoThread(t *testing.T) {
	if version, err := landlockVersion(); err != nil || version < landlockMinVersion {
		t.Skipf("version %d of Landlock: %v", version, err)
	}
	for _, role := range []string{"startMany", "startOnMain"} {
		cmd := exec.Command("/proc/self/exe", role)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", role, err, out)
		}
	}
}

func init() {
	if len(os.Args) > 1 && os.Args[1] == "startOnMain" {
		runtime.LockOSThread() // an init function runs on the main thread
	}
}

// startOnMain is a worker whose main thread starts a child. Another thread must start the child,
// and the main thread can still make a socket.
func startOnMain() error {
	if err := setNoNewPrivs(); err != nil {
		return err
	}
	if unix.Gettid() != unix.Getpid() {
		return errors.New("this is not the main thread")
	}
	starter := NewToolStarter(TierLandlock, nil)
	second, err := starter.makeLayer(&starter.layer, starter.toolRuleset)
	if err != nil {
		return err
	}
	child := exec.Command("/bin/true")
	if err := second.start(child); err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return fmt.Errorf("the main thread is behind the child's walls: %w", err)
	}
	return errors.Join(unix.Close(fd), child.Wait())
}

// startMany is a worker with only its second layer of walls. It counts its threads.
func startMany() error {
	if err := setNoNewPrivs(); err != nil {
		return err
	}
	inside := NewToolStarter(TierLandlock, nil)
	first := exec.Command("/bin/sleep", "1000")
	if err := inside.Start(first); err != nil {
		return err
	}
	had := threadsHere()
	if err := startSome(inside, 4, "/bin/true"); err != nil {
		return err
	}
	for _, id := range threadsHere() {
		if !slices.Contains(had, id) {
			return fmt.Errorf("it has thread %s, which was not among the first %d", id, len(had))
		}
	}
	if err := startSome(inside, 1, "/bin/sh", "-c", outOfReach); err != nil {
		return fmt.Errorf("a child signals its worker: %w", err)
	}
	if err := first.Process.Kill(); err != nil {
		return err
	}
	_ = first.Wait()

	// When no child is left, new threads replace the used threads.
	for range 40 {
		if err := startSome(inside, 1, "/bin/true"); err != nil {
			return err
		}
	}
	if inside.spareThreads < minSpareThreads-1 {
		return fmt.Errorf("after 40 starts %d threads are spare", inside.spareThreads)
	}
	return nil
}

// outOfReach tries to signal every thread of a shell's parent. The thread that has started the
// shell may end a moment later.
const outOfReach = `for i in 0 1 2 3 4 5 6 7 8 9; do
	reached=
	for task in /proc/$PPID/task/*; do kill -0 ${task##*/} 2>/dev/null && reached=$task; done
	[ "$reached" ] || exit 0
	sleep 0.2
done
exit 1`

// setNoNewPrivs executes this program again with no_new_privs: without it only root may load a
// filter.
func setNoNewPrivs() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if has, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || has == 1 {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", os.Args, os.Environ())
}

// startSome starts a program n times and then waits for all of them.
func startSome(inside *ToolStarter, n int, program string, args ...string) error {
	errs := make([]error, n)
	var ended sync.WaitGroup
	for i := range n {
		cmd := exec.Command(program, args...)
		if err := inside.Start(cmd); err != nil {
			return err
		}
		ended.Go(func() { errs[i] = cmd.Wait() })
	}
	ended.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func threadsHere() (ids []string) {
	entries, _ := os.ReadDir("/proc/self/task")
	for _, e := range entries {
		ids = append(ids, e.Name())
	}
	return ids
}

// TestToolProgram_ReachesWorkspaces: a tool can use the host's folders that the first layer grants.
func TestToolProgram_ReachesWorkspaces(t *testing.T) {
	if version, err := landlockVersion(); err != nil || version < landlockMinVersion {
		t.Skipf("version %d of Landlock: %v", version, err)
	}
	cmd := exec.Command("/proc/self/exe", "startBeside")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "WORKSPACE="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// startBeside is a worker with a workspace beside its home, behind a first layer that grants both.
func startBeside() error {
	if err := setNoNewPrivs(); err != nil {
		return err
	}
	beside := os.Getenv("WORKSPACE")
	if os.Getenv("BEHIND") == "" {
		return execBehind(rule{path: ".", rights: rightsWrite}, rule{path: beside, rights: rightsWrite})
	}
	inside := NewToolStarter(TierLandlock, nil)
	if err := startSome(inside, 1, "/bin/sh", "-c", "echo mine >$WORKSPACE/new && grep mine $WORKSPACE/new && echo >here"); err != nil {
		return fmt.Errorf("in the workspace: %w", err)
	}
	if startSome(inside, 1, "/bin/sh", "-c", "ls $WORKSPACE/.. 2>/dev/null") == nil {
		return fmt.Errorf("it sees what is above %s", beside)
	}
	return nil
}

// execBehind executes this program again behind a first layer that restricts files. The layer holds
// for one thread and the program that this thread executes.
func execBehind(granted ...rule) error {
	runtime.LockOSThread()
	version, err := landlockVersion()
	if err != nil {
		return err
	}
	granted = append(append(systemRules(), rule{path: "/proc/self/exe", rights: rightsRead}), granted...)
	if err := restrict(version, granted); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), "BEHIND=1"))
}
