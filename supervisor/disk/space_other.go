//go:build !linux

package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// blockSize returns the unit of the counts.
func blockSize(st *unix.Statfs_t) int64 { return int64(st.Bsize) }

// allocate is not supported: the file is written.
func allocate(uintptr, int64) error { return errors.ErrUnsupported }
