package disk

import (
	"cmp"

	"golang.org/x/sys/unix"
)

// blockSize returns the size of the blocks that the kernel counts. On some file systems Bsize is
// only the best size of a write.
func blockSize(st *unix.Statfs_t) int64 { return cmp.Or(st.Frsize, st.Bsize) }

// allocate reserves disk space for a whole file at once.
func allocate(fd uintptr, size int64) error { return unix.Fallocate(int(fd), 0, 0, size) }
