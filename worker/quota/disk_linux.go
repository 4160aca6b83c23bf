package quota

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statDisk asks the system about a folder's file system. For a folder with a project's limit ext4
// and XFS give the project's own numbers (ext4_statfs_project, xfs_fs_statfs).
func statDisk(dir string) (Disk, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Disk{}, err
	}
	// of the counts; Bsize is on some file systems only the best size of a write
	unit := cmp.Or(st.Frsize, st.Bsize)
	return Disk{Total: int64(st.Blocks) * unit, Free: int64(st.Bavail) * unit, Project: inProject(dir)}, nil
}

// attributes is struct fsxattr of linux/fs.h.
type attributes struct {
	flags      uint32
	extentSize uint32
	extents    uint32
	project    uint32
	copyExtent uint32
	_          [8]byte
}

// From linux/fs.h, which golang.org/x/sys lacks: _IOR('X', 31, struct fsxattr), which only MIPS and
// PowerPC number otherwise; and the flag that what is made in a folder belongs to its project,
// without which a file system gives its own numbers.
const (
	getAttributes  = 0x801c581f
	projectInherit = 0x200
)

// inProject reports that a folder belongs to a project, on a file system that enforces the limits
// of projects.
func inProject(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	var a attributes
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), getAttributes, uintptr(unsafe.Pointer(&a))); e != 0 {
		return false // the file system knows no projects
	}
	if a.project == 0 || a.flags&projectInherit == 0 {
		return false
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return false
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	return err == nil && limitsProjects(string(mounts), st.Dev)
}

// limitsProjects reports whether a device is mounted with project quotas that are enforced. mounts
// is the text of /proc/self/mountinfo.
func limitsProjects(mounts string, device uint64) bool {
	wanted := fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
	for line := range strings.Lines(mounts) {
		mount, system, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 3 || m[2] != wanted || len(s) < 3 {
			continue
		}
		for option := range strings.SplitSeq(s[2], ",") {
			if option == "prjquota" { // also what XFS says for pquota; pqnoenforce only counts
				return true
			}
		}
	}
	return false
}
