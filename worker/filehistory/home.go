package filehistory

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// home reads the files of the home. It follows no link.
type home struct {
	dir    *os.File
	walks  atomic.Int64 // number of walks
	report func(error)

	mu     sync.Mutex              // guards the field below, and the modes of these folders
	opened map[string]openedFolder // see openClosed
}

// openBelow opens a name in an open folder. It does not wait if that is a pipe, and follows no
// link.
func openBelow(fd int, name string, flags int) (*os.File, error) {
	flags |= unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK
	for {
		below, err := unix.Openat(fd, name, flags, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(below), name), nil
	}
}

// openHome opens the home. If its owner may not read or enter it, openHome first permits that.
func (h *home) openHome() (*os.File, error) {
	dir, err := openBelow(int(h.dir.Fd()), ".", unix.O_DIRECTORY)
	if err != unix.EACCES {
		return dir, err
	}
	e, lost := statFile(h.dir)
	if lost != nil || e.mode&ownerAll == ownerAll || unix.Fchmod(int(h.dir.Fd()), uint32(e.mode|ownerAll)) != nil {
		return nil, err
	}
	h.report(fmt.Errorf("the home had the mode %04o, so it was set to %04o", e.mode, e.mode|ownerAll))
	return openBelow(int(h.dir.Fd()), ".", unix.O_DIRECTORY)
}

// openFolder opens a folder of the home, one folder of its path after the other.
func (h *home) openFolder(name string) (*os.File, error) {
	dir, err := h.openHome()
	if name == "." {
		return dir, err
	}
	for part := range strings.SplitSeq(name, "/") {
		if err != nil {
			return nil, err
		}
		var below *os.File
		below, err = openBelow(int(dir.Fd()), part, unix.O_DIRECTORY)
		dir.Close()
		dir = below
	}
	return dir, err
}

// stat returns the present entry of a path. Its kind is absent if nothing is there, or if a part of
// the path is no folder.
func (h *home) stat(name string) (entry, error) {
	dir, err := h.openFolder(path.Dir(name))
	if err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP {
		return entry{}, nil
	}
	if err != nil {
		return entry{}, err
	}
	defer dir.Close()
	e, _, err := statBelow(int(dir.Fd()), path.Base(name))
	if err == unix.ENOENT {
		return entry{}, nil
	}
	h.setOwnMode(name, &e)
	return e, err
}

// statBelow returns the entry and the device of a name in an open folder.
func statBelow(fd int, name string) (e entry, device uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return entry{}, 0, err
	}
	if e = entryOf(&st); e.kind == link {
		target := make([]byte, maxPath)
		n, err := unix.Readlinkat(fd, name, target)
		if err != nil {
			return entry{}, 0, err
		}
		e.target = string(target[:n])
	}
	return e, e.device, nil
}

// openFile opens a file. If the file no longer has the stamp of e, changed is set.
func (h *home) openFile(name string, e *entry) (f *os.File, changed bool, err error) {
	dir, err := h.openFolder(path.Dir(name))
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	if f, err = openBelow(int(dir.Fd()), path.Base(name), 0); err != nil {
		return nil, false, err
	}
	now, err := statFile(f)
	if err != nil {
		f.Close()
		return nil, false, err
	}
	if !now.hasStamp(e) {
		f.Close()
		return nil, true, nil
	}
	return f, false, nil
}

func statFile(f *os.File) (entry, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return entry{}, err
	}
	return entryOf(&st), nil
}

// cacheSignature begins a file CACHEDIR.TAG (bford.info/cachedir).
const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// isCacheFolder reports whether a folder is marked as a cache.
func isCacheFolder(fd int) bool {
	f, err := openBelow(fd, "CACHEDIR.TAG", 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if e, err := statFile(f); err != nil || e.kind != file {
		return false
	}
	head := make([]byte, len(cacheSignature))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == cacheSignature
}
