//go:build !linux

package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// blockSize returns the size of the blocks that the kernel counts.
func blockSize(st *unix.Statfs_t) int64 { return int64(st.Bsize) }

// allocate is not supported here, so the caller writes the file instead.
func allocate(uintptr, int64) error { return errors.ErrUnsupported }
