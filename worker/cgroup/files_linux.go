package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// kernel changes a hierarchy. Reading uses the files directly. Errors do not name the attempt; the
// callers add it. Tests have a kernel that keeps the rules of cgroups(7) in an ordinary folder.
type kernel interface {
	mkdir(dir *os.File, name string) error
	rmdir(dir *os.File, name string) error
	write(dir *os.File, name, text string) error
}

type realKernel struct{}

func (realKernel) mkdir(dir *os.File, name string) error {
	defer runtime.KeepAlive(dir)
	return unix.Mkdirat(int(dir.Fd()), name, 0o755)
}

func (realKernel) rmdir(dir *os.File, name string) error {
	defer runtime.KeepAlive(dir)
	return unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR)
}

// write writes text in one call, as the files of a hierarchy require.
func (realKernel) write(dir *os.File, name, text string) error {
	fd, err := openFile(dir, name, unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		if _, err = unix.Write(fd, []byte(text)); err != unix.EINTR {
			return err
		}
	}
}

// maxFile is larger than any file that is read here: the longest, cgroup.procs, has 8 bytes a
// process.
const maxFile = 1 << 20

// read reads a whole file.
func read(dir *os.File, name string) (string, error) {
	fd, err := openFile(dir, name, unix.O_RDONLY)
	if err != nil {
		return "", fmt.Errorf("read %s/%s: %w", dir.Name(), name, err)
	}
	defer unix.Close(fd)
	var text strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := unix.Read(fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return "", fmt.Errorf("read %s/%s: %w", dir.Name(), name, err)
		case n == 0:
			return text.String(), nil
		}
		text.Write(buf[:n])
		if text.Len() > maxFile {
			return "", fmt.Errorf("read %s/%s: more than %d bytes", dir.Name(), name, maxFile)
		}
	}
}

// openFile opens a regular file. It refuses everything else, because a pipe could make a reader
// wait.
func openFile(dir *os.File, name string, flags uint64) (int, error) {
	fd, err := openBeneath(dir, name, flags|unix.O_NONBLOCK)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// openFolder opens the folder at a path beneath dir. The path may begin with a slash.
func openFolder(dir *os.File, name string) (*os.File, error) {
	full := path.Join(dir.Name(), name)
	fd, err := openBeneath(dir, "./"+strings.TrimPrefix(name, "/"), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", full, err)
	}
	return os.NewFile(uintptr(fd), full), nil
}

// openBeneath opens a path beneath dir without following links. The kernel answers EAGAIN if a
// rename elsewhere disturbed the lookup (openat2(2)); openBeneath then retries a few times.
func openBeneath(dir *os.File, name string, flags uint64) (fd int, err error) {
	defer runtime.KeepAlive(dir)
	how := unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for range 8 {
		fd, err = unix.Openat2(int(dir.Fd()), name, &how)
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
	}
	return fd, err
}

// isMissing reports whether an error means that a file does not exist, or that this kernel does not
// support it.
func isMissing(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV)
}
