package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// takeSocket moves the socket from descriptor 0 to a descriptor that no child inherits. It makes
// descriptors 0 and 1 /dev/null, so that no tool's program can read or write the protocol. It also
// prepares the process for its children. Call it before anything else.
func takeSocket() (*os.File, error) {
	if _, err := unix.GetsockoptInt(0, unix.SOL_SOCKET, unix.SO_TYPE); err != nil {
		return nil, errors.New("standard input is no socket: mews-worker is started by mews-spawner, not by hand")
	}
	if err := prepareProcess(); err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("move the socket from descriptor 0: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close() // closes only null's own descriptor; its duplicates 0 and 1 stay open
	for old := range 2 {
		if err := duplicate(int(null.Fd()), old); err != nil {
			return nil, fmt.Errorf("put %s on descriptor %d: %w", os.DevNull, old, err)
		}
	}
	// non-blocking, so that the runtime polls the socket and deadlines work
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("make the socket non-blocking: %w", err)
	}
	return os.NewFile(uintptr(fd), "supervisor"), nil
}
