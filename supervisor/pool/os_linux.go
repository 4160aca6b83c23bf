package pool

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// becomeSubreaper has what loses its parent, and came of this process, become its child (prctl(2)).
func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: prctl: %w", err)
	}
	return nil
}

// waitAll has wait4(2) take children of every kind.
const waitAll = unix.WALL
