package filehistory

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

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
	// unreadable is for tests: it reports whether a part of a file can't be read
	unreadable func(name string, from, to int64) bool
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
	if err := f.close(); err != nil {
		return err
	}
	names, err := f.names()
	for _, name := range names {
		err = errors.Join(err, f.setMode(name))
	}
	return err
}

// close lets nobody but the account of the history into the folder.
func (f *folder) close() error {
	if f.readOnly {
		return nil
	}
	return f.dir.Chmod(folderMode)
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
	var fd int
	err := f.withMode(name, func() (err error) {
		fd, err = unix.Openat(int(f.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, fileMode)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open %s of the file history: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// withMode does something in the folder. If that is not permitted, it sets the modes of the folder
// and of a file, and tries once more. The name "" means no file.
func (f *folder) withMode(name string, do func() error) error {
	err := do()
	if err != unix.EACCES || f.readOnly || f.dir.Chmod(folderMode) != nil {
		return err
	}
	if name != "" && name != "." && f.setMode(name) != nil {
		return err
	}
	return do()
}

// rename gives a file its final name, and replaces the file of that name.
func (f *folder) rename(from, to string) error {
	if err := f.before("rename", to); err != nil {
		return err
	}
	return f.withMode("", func() error { return unix.Renameat(int(f.dir.Fd()), from, int(f.dir.Fd()), to) })
}

// remove removes a file. A missing file is no error.
func (f *folder) remove(name string) error {
	if f.readOnly {
		return nil
	}
	if err := f.before("remove", name); err != nil {
		return err
	}
	err := f.withMode("", func() error { return unix.Unlinkat(int(f.dir.Fd()), name, 0) })
	if err == unix.ENOENT {
		return nil
	}
	return err
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

// readAt reads bytes at an offset of a file.
func (f *folder) readAt(file *os.File, b []byte, at int64) (int, error) {
	if f.unreadable != nil && f.unreadable(file.Name(), at, at+int64(len(b))) {
		return 0, unix.EIO
	}
	return file.ReadAt(b, at)
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

// Stamp returns a text that differs after each change of the history in an open folder.
func Stamp(history *os.File) (string, error) {
	f := &folder{dir: history, readOnly: true}
	names, err := f.names()
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		var stat unix.Stat_t
		if err == nil {
			err = unix.Fstatat(int(history.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW)
		}
		fmt.Fprintln(&text, name, stat.Size, stat.Ino, stat.Mtim.Nano())
	}
	return text.String(), err
}
