package pool

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// becomeSubreaper makes this process the parent of descendants that lose their parent (prctl(2)).
func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: prctl: %w", err)
	}
	return nil
}

// waitAll lets wait4(2) wait for children of every kind.
const waitAll = unix.WALL
