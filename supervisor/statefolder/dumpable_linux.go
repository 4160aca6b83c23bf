package statefolder

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// KeepPrivate has no other process of this account look into this one, which holds the keys: not
// through /proc, and not as a debugger (PR_SET_DUMPABLE in prctl(2)).
func KeepPrivate() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process private: prctl: %w", err)
	}
	return nil
}
