package quota

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statDisk asks the system about a folder's file system. For a folder with a project limit, ext4
// and XFS give the project's numbers (ext4_statfs_project, xfs_fs_statfs).
func statDisk(dir string) (DiskSpace, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return DiskSpace{}, err
	}
	// unit of the counts; on some file systems Bsize is only the preferred size of a write
	unit := cmp.Or(st.Frsize, st.Bsize)
	return DiskSpace{Total: int64(st.Blocks) * unit, Free: int64(st.Bavail) * unit, Project: inProject(dir),
		Files: int64(st.Files), FreeFiles: int64(st.Ffree)}, nil
}

// attributes has the layout of struct fsxattr in linux/fs.h.
type attributes struct {
	flags      uint32
	extentSize uint32
	extents    uint32
	project    uint32
	copyExtent uint32
	_          [8]byte
}

// Constants of linux/fs.h that golang.org/x/sys lacks. The first is _IOR('X', 31, struct fsxattr);
// only MIPS and PowerPC have another number. The second is a folder's flag that its new files
// belong to its project. Without this flag a file system gives the numbers of the whole disk.
const (
	getAttributes  = 0x801c581f
	projectInherit = 0x200
)

// inProject reports whether a folder belongs to a project whose limits the file system enforces.
func inProject(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	var a attributes
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), getAttributes, uintptr(unsafe.Pointer(&a))); e != 0 {
		return false // this file system has no projects
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

// limitsProjects reports whether a device is mounted with enforced project quotas. mounts is the
// text of /proc/self/mountinfo.
func limitsProjects(mounts string, device uint64) bool {
	wanted := fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
	for line := range strings.Lines(mounts) {
		mount, system, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		if len(m) < 3 || m[2] != wanted || len(s) < 3 {
			continue
		}
		for option := range strings.SplitSeq(s[2], ",") {
			if option == "prjquota" { // XFS shows pquota under this name too; with pqnoenforce it only counts
				return true
			}
		}
	}
	return false
}
