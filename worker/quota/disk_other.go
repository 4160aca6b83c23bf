//go:build !linux

package quota

import "golang.org/x/sys/unix"

// statDisk asks the system about a folder's file system.
func statDisk(dir string) (DiskSpace, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return DiskSpace{}, err
	}
	return DiskSpace{Total: int64(st.Blocks) * int64(st.Bsize), Free: int64(st.Bavail) * int64(st.Bsize),
		Files: int64(st.Files), FreeFiles: int64(st.Ffree)}, nil
}
