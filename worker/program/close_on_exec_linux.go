package program

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// closeOnExec keeps children from inheriting descriptors above 2.
func closeOnExec() error {
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors on exec: close_range: %w (it needs Linux 5.11)", err)
	}
	return nil
}
