package filehistory

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// folder is the folder of the history. Every access goes through its descriptor, because the folder
// may have no path.
type folder struct {
	dir *os.File
	// inject is for tests: it is called before each step, and its error becomes that of the step
	inject func(step, name string) error
	// readOnly means that another process may write to the folder, so that nothing is changed
	readOnly bool
}

const (
	folderMode = 0o700
	fileMode   = 0o600
)

// reopenFolder opens a folder again for reading. The given descriptor may be open with O_PATH, as
// that of a mount is, so that nothing can be read from it.
func reopenFolder(dir *os.File) (*os.File, error) {
	own, err := openBelow(int(dir.Fd()), ".", unix.O_DIRECTORY)
	if err == unix.EACCES && dir.Chmod(folderMode) == nil {
		own, err = openBelow(int(dir.Fd()), ".", unix.O_DIRECTORY)
	}
	if err != nil {
		return nil, fmt.Errorf("open the file history: %w", err)
	}
	return own, nil
}

func (f *folder) before(step, name string) error {
	if f.inject == nil {
		return nil
	}
	return f.inject(step, name)
}

// setModes sets the modes of the folder and its files. If the folder has a path, a program may have
// changed its modes.
func (f *folder) setModes() error {
	if f.readOnly {
		return nil
	}
	if err := f.dir.Chmod(folderMode); err != nil {
		return err
	}
	names, err := f.names()
	for _, name := range names {
		err = errors.Join(err, f.setMode(name))
	}
	return err
}

func (f *folder) setMode(name string) error {
	err := unix.Fchmodat(int(f.dir.Fd()), name, fileMode, 0)
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// names lists the files in the folder.
func (f *folder) names() ([]string, error) {
	dir, err := f.open(".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// open opens a file in the folder. It follows no link.
func (f *folder) open(name string, flags int) (*os.File, error) {
	if err := f.before("open", name); err != nil {
		return nil, err
	}
	fd, err := unix.Openat(int(f.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
	if err == unix.EACCES && f.setMode(name) == nil {
		fd, err = unix.Openat(int(f.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s of the file history: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// rename gives a file its final name, and replaces the file of that name.
func (f *folder) rename(from, to string) error {
	if err := f.before("rename", to); err != nil {
		return err
	}
	return unix.Renameat(int(f.dir.Fd()), from, int(f.dir.Fd()), to)
}

// remove removes a file. A missing file is no error.
func (f *folder) remove(name string) error {
	if f.readOnly {
		return nil
	}
	if err := f.before("remove", name); err != nil {
		return err
	}
	if err := unix.Unlinkat(int(f.dir.Fd()), name, 0); err != unix.ENOENT {
		return err
	}
	return nil
}

// sync makes the names in the folder durable.
func (f *folder) sync() error {
	if err := f.before("sync", "."); err != nil {
		return err
	}
	return f.dir.Sync()
}

// write writes bytes at an offset of a file.
func (f *folder) write(file *os.File, b []byte, at int64) error {
	if err := f.before("write", file.Name()); err != nil {
		// a kill or a full disk may leave a part of the bytes
		_, _ = file.WriteAt(b[:len(b)/2], at)
		return err
	}
	_, err := file.WriteAt(b, at)
	return err
}

// truncate cuts a file to a length.
func (f *folder) truncate(file *os.File, size int64) error {
	if err := f.before("truncate", file.Name()); err != nil {
		return err
	}
	return file.Truncate(size)
}

func (f *folder) syncFile(file *os.File) error {
	if err := f.before("sync", file.Name()); err != nil {
		return err
	}
	return file.Sync()
}

// disk returns the free and total bytes of the folder's file system.
func (f *folder) disk() (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.dir.Fd()), &st); err != nil {
		return 0, 0, err
	}
	unit := int64(st.Bsize)
	return int64(st.Bavail) * unit, int64(st.Blocks) * unit, nil
}
