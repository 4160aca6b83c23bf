// Package programtest has programs that behave badly, for tests.
package programtest

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ForkWithoutPause starts a child that forks without pause, for a number of generations.
//
// The child leaves this process's session and closes its files. Each parent ends at once, so the
// pid changes faster than a list of processes can be read. With newSessions each generation has its
// own session.
//
// A forked child of a Go process may only make system calls with prepared values.
//
//go:nosplit
//go:norace
func ForkWithoutPause(generations int, newSessions bool) syscall.Errno {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid != 0 || errno != 0 {
		return errno
	}
	syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	for fd := range uintptr(256) {
		syscall.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	}
	for ; generations > 0; generations-- {
		pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if pid > 0 && errno == 0 {
			break
		}
		if newSessions {
			syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
		}
	}
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
}
