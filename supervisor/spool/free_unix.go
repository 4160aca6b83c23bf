//go:build linux || darwin

package spool

import "golang.org/x/sys/unix"

// freeBytes returns how many bytes may still be written to the disk of dir.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
