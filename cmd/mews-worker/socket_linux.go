package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// takeSocket makes the socket on descriptor 0 this process's alone: it moves to a descriptor that no child inherits, and
// 0 and 1 become /dev/null, so that a tool's program can never read or write the protocol. No other process of the same
// account may look into this one through /proc either. It is called before anything else.
func takeSocket() (*os.File, error) {
	if _, err := unix.GetsockoptInt(0, unix.SOL_SOCKET, unix.SO_TYPE); err != nil {
		return nil, errors.New("standard input is no socket: mews-worker is started by mews-spawner, not by hand")
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("make the process private: %w", err)
	}
	// Where it is not pid 1, what a tool's program leaves behind comes to this process too.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become the sub-reaper: %w", err)
	}
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("move the socket from descriptor 0: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close() // its duplicates stay
	for old := range 2 {
		if err := unix.Dup3(int(null.Fd()), old, 0); err != nil {
			return nil, fmt.Errorf("put %s on descriptor %d: %w", os.DevNull, old, err)
		}
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that the runtime polls it and deadlines work
		return nil, fmt.Errorf("make the socket non-blocking: %w", err)
	}
	return os.NewFile(uintptr(fd), "supervisor"), nil
}
