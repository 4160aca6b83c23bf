//go:build !linux

package workspace

import (
	"os"

	"golang.org/x/sys/unix"
)

// rename renames within and between two folders. The names hold no slash. With exclusive it does not replace anything
// that is there when it looks; these systems have no common way to look and rename at once.
func rename(from *os.Root, old string, to *os.Root, name string, exclusive bool) error {
	source, err := openFolder(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := openFolder(to)
	if err != nil {
		return err
	}
	defer target.Close()
	if exclusive {
		if err := checkAbsent(to, name); err != nil {
			return err
		}
	}
	return unix.Renameat(int(source.Fd()), old, int(target.Fd()), name)
}
