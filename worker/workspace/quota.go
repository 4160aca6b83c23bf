package workspace

import (
	"io/fs"
	"syscall"
)

// unlimitedQuota is the quota of a folder without a limit.
type unlimitedQuota struct{}

func (unlimitedQuota) CheckGrowth(int64) error { return nil }
func (unlimitedQuota) RecordGrowth(int64)      {}

// withinQuota runs the function do if the quota allows the folder to grow by that many bytes. It
// records the growth.
func (w *Workspace) withinQuota(grow int64, do func() error) error {
	if err := w.quota.CheckGrowth(grow); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	w.quota.RecordGrowth(grow)
	return nil
}

// diskBlock is the unit of disk space in most file systems, in bytes.
const diskBlock = 4096

// diskSize returns the disk space of a file with that many bytes.
func diskSize(size int64) int64 { return (size + diskBlock - 1) / diskBlock * diskBlock }

// growth returns how much the folder grows if a file of that many bytes replaces old; nil means no
// old file. A file that does not get longer never counts as growth. If old has other names, its
// bytes stay on the disk.
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
	// st.Blocks counts units of 512 bytes in any file system (stat(2))
	grow := diskSize(size) - st.Blocks*512
	if size <= old.Size() {
		return min(grow, 0)
	}
	return grow
}

// CheckGrowth returns the quota's error if the folder may not grow by that many bytes.
func (w *Workspace) CheckGrowth(bytes int64) error { return w.quota.CheckGrowth(bytes) }
