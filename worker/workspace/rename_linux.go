package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// rename renames within and between two folders. The names hold no slash. With exclusive it never replaces anything.
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
	if !exclusive {
		return unix.Renameat(int(source.Fd()), old, int(target.Fd()), name)
	}
	err = unix.Renameat2(int(source.Fd()), old, int(target.Fd()), name, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	// Some file systems do not know the flag (network ones, mostly); EINVAL is also a folder that goes into itself, which
	// the plain rename refuses just the same.
	if err := checkAbsent(to, name); err != nil {
		return err
	}
	return unix.Renameat(int(source.Fd()), old, int(target.Fd()), name)
}
