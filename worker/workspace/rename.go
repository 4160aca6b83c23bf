package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// rename renames within and between two folders. The names contain no slash. If exclusive is set,
// rename replaces no file. If the system cannot check and rename in one call, rename checks first.
func rename(from *os.Root, old string, to *os.Root, name string, exclusive bool) error {
	source, err := from.Open(".")
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.Open(".")
	if err != nil {
		return err
	}
	defer target.Close()
	if exclusive {
		err := renameNoReplace(int(source.Fd()), old, int(target.Fd()), name)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		if err := checkAbsent(to, name); err != nil {
			return err
		}
	}
	return unix.Renameat(int(source.Fd()), old, int(target.Fd()), name)
}

// checkAbsent returns fs.ErrExist if name is taken.
func checkAbsent(root *os.Root, name string) error {
	_, err := root.Lstat(name)
	if err == nil {
		return fs.ErrExist
	}
	return ignoreMissing(err)
}
