// Package escapetest finds, from outside, what an attempt to escape has left behind.
package escapetest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FindLockHolder returns the process that keeps a file locked; 0 means none. The process is the
// daemon that the escape X1 leaves behind when its worker has ended. An error means that this
// daemon never ran.
func FindLockHolder(file string) (pid int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		return 0, fmt.Errorf("ask for the lock: %w", err)
	}
	if lock.Type == unix.F_UNLCK {
		return 0, nil
	}
	return int(lock.Pid), nil
}
