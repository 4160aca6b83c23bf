package workspace

import (
	"io/fs"
	"syscall"
)

// unlimited is the quota of a folder without one.
type unlimited struct{}

func (unlimited) Fits(int64) error { return nil }
func (unlimited) Grew(int64)       {}

// withinQuota does what makes the folder grow by so many bytes, if the quota allows it, and records
// the growth.
func (w *Workspace) withinQuota(grow int64, do func() error) error {
	if err := w.quota.Fits(grow); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	w.quota.Grew(grow)
	return nil
}

// diskBlock is the unit in which most file systems give out space, in bytes.
const diskBlock = 4096

// diskSize is what a file of so many bytes takes on the disk.
func diskSize(size int64) int64 { return (size + diskBlock - 1) / diskBlock * diskBlock }

// growth is by how much the folder grows when a file of so many bytes replaces old, which is nil if
// there is none. A file that is not longer than before never counts as growth. An old file that has
// other names stays.
func growth(old fs.FileInfo, size int64) int64 {
	if old == nil {
		return diskSize(size)
	}
	st, ok := old.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return diskSize(size) - diskSize(old.Size())
	case st.Nlink > 1:
		return diskSize(size)
	}
	// the unit of Blocks, whatever the file system's is (stat(2))
	grow := diskSize(size) - st.Blocks*512
	if size <= old.Size() {
		return min(grow, 0)
	}
	return grow
}
