package escape

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A forked child of a Go process can do little before it executes a program. It has only one
// thread, and locks that other threads held stay locked. The children here only make system calls
// with prepared values. They do not allocate, grow the stack, or make calls that involve the
// scheduler.

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

// clone3AndEnd does the work of cloneAndEnd by clone3, because seccomp filters can't see the flags
// of clone3.
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

// cloneAndUnshare makes a child that unshares namespaces and ends with the error's number.
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

// cloneAndPause makes a child that waits to be killed, and ends with the thread that made it.
// parent is this process's pid.
//
//go:nosplit
//go:norace
func cloneAndPause(parent uintptr) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	pause(parent)
	return 0, 0
}

// cloneAndPipe makes a child that makes pipes and then waits like a child of cloneAndPause.
//
//go:nosplit
//go:norace
func cloneAndPipe(parent, pipes uintptr) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	var ends [2]int32
	for ; pipes > 0; pipes-- {
		if _, _, e := syscall.RawSyscall(unix.SYS_PIPE2, uintptr(unsafe.Pointer(&ends)), 0, 0); e != 0 {
			exit(uintptr(e))
		}
	}
	pause(parent)
	return 0, 0
}

// pause makes a child wait until it is killed, or the thread that made it ends. parent is the pid
// of that thread's process.
//
//go:nosplit
//go:norace
func pause(parent uintptr) {
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	if now, _, _ := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); now != parent {
		exit(1) // the parent ended before this child could register for its end
	}
	for {
		syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// reap waits for a child of clone and returns its exit code.
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

// childError takes the results of a function such as cloneAndEnd. It waits for the child and turns
// the exit code into an error.
func childError(call string, pid int, errno syscall.Errno) error {
	if errno != 0 {
		return fmt.Errorf("%s: %w", call, errno)
	}
	code, err := reap(pid)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s, in a child: %w", call, syscall.Errno(code))
	}
	return err
}

// withPaused calls a function with the pid of a child that does nothing.
func withPaused(do func(pid int) error) error {
	return onThread(func() error {
		pid, errno := cloneAndPause(uintptr(os.Getpid()))
		if errno != 0 {
			return fmt.Errorf("make a child: %w", errno)
		}
		err := do(pid)
		endChildren(pid)
		return err
	})
}

// endChildren kills children of clone and reaps them. No wall forbids that: a probe's own children
// are behind the same walls.
func endChildren(pids ...int) {
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	for _, pid := range pids {
		_, _ = reap(pid) // the error only tells that the child was killed
	}
}
