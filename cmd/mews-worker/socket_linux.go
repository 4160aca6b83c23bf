package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// prepareProcess keeps other processes of the account from reading this process through /proc. It
// also makes this process the parent of orphans from tools' programs, even if it is not pid 1.
func prepareProcess() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process private: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: %w", err)
	}
	return nil
}

// duplicate is dup2(2), which some Linux machines lack.
func duplicate(from, to int) error { return unix.Dup3(from, to, 0) }
