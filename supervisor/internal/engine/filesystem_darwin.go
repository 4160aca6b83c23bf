package engine

import "golang.org/x/sys/unix"

// filesystem asks the kernel for the file system of dir.
func filesystem(dir string) (Filesystem, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Filesystem{}, err
	}
	return Filesystem{
		Name:    unix.ByteSliceToString(s.Fstypename[:]),
		Network: s.Flags&unix.MNT_LOCAL == 0,
		Free:    int64(s.Bavail) * int64(s.Bsize),
	}, nil
}
