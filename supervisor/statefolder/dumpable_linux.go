package statefolder

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ProtectProcess keeps other processes of the account from reading this process. This process holds
// the keys. Other processes can't read it through /proc or as a debugger. (PR_SET_DUMPABLE in
// prctl(2))
func ProtectProcess() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process private: prctl: %w", err)
	}
	return nil
}
