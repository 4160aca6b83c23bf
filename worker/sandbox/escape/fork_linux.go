package escape

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a child of a Go process may do before it executes anything is little: it has one of the threads and whatever
// locks the others held. The children here make system calls with what was prepared for them, and nothing else: no
// allocation, no growing of the stack, no call that the scheduler is told of.

// clone forks, with flags.
//
//go:nosplit
//go:norace
func clone(flags uintptr) (pid int, errno syscall.Errno) {
	p, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return int(p), errno
}

// exit ends a child.
//
//go:nosplit
//go:norace
func exit(code uintptr) {
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, code, 0, 0)
	}
}

// cloneAndEnd makes a child with flags that ends at once.
//
//go:nosplit
//go:norace
func cloneAndEnd(flags uintptr) (pid int, errno syscall.Errno) {
	pid, errno = clone(flags)
	if pid == 0 && errno == 0 {
		exit(0)
	}
	return pid, errno
}

// cloneArgs is struct clone_args as of Linux 5.3.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
}

// clone3AndEnd is cloneAndEnd by the newer call, whose flags no filter can see.
//
//go:nosplit
//go:norace
func clone3AndEnd(args *cloneArgs) (pid int, errno syscall.Errno) {
	p, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(args)), unsafe.Sizeof(*args), 0)
	if p == 0 && errno == 0 {
		exit(0)
	}
	return int(p), errno
}

// cloneAndUnshare makes a child that takes namespaces of its own and ends with the error's number.
//
//go:nosplit
//go:norace
func cloneAndUnshare(flags uintptr) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid == 0 && errno == 0 {
		_, _, e := syscall.RawSyscall(unix.SYS_UNSHARE, flags, 0, 0)
		exit(uintptr(e))
	}
	return pid, errno
}

// cloneAndPause makes a child that waits to be killed, and that ends with the thread that made it, by parent's pid.
//
//go:nosplit
//go:norace
func cloneAndPause(parent uintptr) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	if now, _, _ := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); now != parent {
		exit(1) // it ended before this one could ask
	}
	for {
		syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// reap waits for a child of clone's and gives its exit code.
func reap(pid int) (code int, err error) {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("wait for the child: %w", err)
		}
		break
	}
	if status.Signaled() {
		return 0, fmt.Errorf("the child died of signal %d, %v", status.Signal(), status.Signal())
	}
	return status.ExitStatus(), nil
}

// child takes the answer of one of the above, waits for the child and turns its exit code into an error.
func child(call string, pid int, errno syscall.Errno) error {
	if errno != 0 {
		return fmt.Errorf("%s: %w", call, errno)
	}
	code, err := reap(pid)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s, in a child: %w", call, syscall.Errno(code))
	}
	return err
}

// withPaused runs something with a child that does nothing, on whose account it can be done.
func withPaused(do func(pid int) error) error {
	return onThread(func() error {
		pid, errno := cloneAndPause(uintptr(os.Getpid()))
		if errno != 0 {
			return fmt.Errorf("make a child: %w", errno)
		}
		err := do(pid)
		end(pid)
		return err
	})
}

// end kills children of clone's and reaps them. The kill is allowed whatever the walls: a probe's own children are
// within them.
func end(pids ...int) {
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	for _, pid := range pids {
		_, _ = reap(pid) // that it was killed is what it says
	}
}
