package pool

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketpair makes two ends that close on exec.
func socketpair() ([2]int, error) {
	return syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
}

// makePipe makes two ends that close on exec, the reading end first.
func makePipe(ends []int) error { return syscall.Pipe2(ends, syscall.O_CLOEXEC) }

// becomeSubreaper has what loses its parent, and came of this process, become its child (prctl(2)).
func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: prctl: %w", err)
	}
	return nil
}

// waitAll has wait4(2) take children of every kind.
const waitAll = unix.WALL
