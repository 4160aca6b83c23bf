package escape

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sizes at which a bomb has exceeded a worker's limit, and need not grow further.
const (
	manyFiles    = 5000
	manyChildren = 1500
	muchSpace    = 3 << 30
)

func bombs() []Probe {
	return []Probe{
		{Row: "R1", What: fmt.Sprintf("open more than %d files", manyFiles), Heavy: true, run: openMany},
		{Row: "R2", What: fmt.Sprintf("make more than %d children", manyChildren), Heavy: true, run: forkMany},
		{Row: "R3", What: "use 3 GiB of memory in a child", Heavy: true, run: useMemory},
		{Row: "R4", What: "fill 3 GiB of the workspace in one file", Heavy: true, run: fill(Victims.workspace)},
		{Row: "R5", What: "fill 3 GiB of /tmp", Heavy: true, run: fill(func(Victims) string { return "/tmp" })},
		{Row: "R6", What: "fill 3 GiB of /dev/shm", Heavy: true, run: fill(func(Victims) string { return "/dev/shm" })},
	}
}

func openMany(Victims) error {
	var fds []int
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for len(fds) <= manyFiles {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open, after %d: %w", len(fds), err)
		}
		fds = append(fds, fd)
	}
	return nil
}

// forkMany makes children that wait. They end when this process ends or is killed.
func forkMany(Victims) error {
	return onThread(func() error {
		var pids []int
		defer func() { endChildren(pids...) }()
		for len(pids) <= manyChildren {
			pid, errno := cloneAndPause(uintptr(os.Getpid()))
			if errno != 0 {
				return fmt.Errorf("clone, after %d: %w", len(pids), errno)
			}
			pids = append(pids, pid)
		}
		return nil
	})
}

// notFirst is the exit code of a child that could not raise its own oom score. No error has this
// number.
const notFirst = 255

func useMemory(Victims) error {
	const score = "/proc/self/oom_score_adj"
	path := &[]byte(score + "\x00")[0]
	now, _ := os.ReadFile(score)
	if n, err := strconv.Atoi(strings.TrimSpace(string(now))); err == nil && n >= 500 {
		// the score is already high, and walls may forbid raising it
		path = nil
	}
	pid, errno := cloneAndEat(path, &[4]byte{'1', '0', '0', '0'})
	err := childError("allocate", pid, errno)
	if errors.Is(err, syscall.Errno(notFirst)) {
		return notTriedError("the child could not make itself the first to be killed when memory runs out")
	}
	return err
}

// cloneAndEat makes a child that sets its own oom_score_adj to worst, if path is given. The child
// then fills muchSpace of memory, page by page. It ends with an error's number.
//
//go:nosplit
//go:norace
func cloneAndEat(path *byte, worst *[4]byte) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	if path != nil {
		here := unix.AT_FDCWD
		fd, _, e := syscall.RawSyscall6(unix.SYS_OPENAT, uintptr(here), uintptr(unsafe.Pointer(path)), unix.O_WRONLY, 0, 0, 0)
		if e != 0 {
			exit(notFirst)
		}
		if _, _, e = syscall.RawSyscall(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(worst)), 4); e != 0 {
			exit(notFirst)
		}
	}
	base, _, e := syscall.RawSyscall6(unix.SYS_MMAP, 0, muchSpace, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, ^uintptr(0), 0)
	if e != 0 {
		exit(uintptr(e))
	}
	const bite = 16 << 20 // small steps, so that a kill takes effect quickly
	for eaten := uintptr(0); eaten < muchSpace; eaten += bite {
		if _, _, e = syscall.RawSyscall(unix.SYS_MADVISE, base+eaten, bite, unix.MADV_POPULATE_WRITE); e != 0 {
			exit(uintptr(e))
		}
	}
	exit(0)
	return 0, 0
}

// fill allocates a file of muchSpace. The file's name is removed before, so that the file ends with
// this process.
func fill(where func(Victims) string) func(Victims) error {
	return func(v Victims) error {
		f, err := os.CreateTemp(where(v), ".mews-escape-")
		if err != nil {
			return err
		}
		defer f.Close()
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ) // the error EFBIG tells the same as this signal
		const chunk = 64 << 20
		for size := int64(0); size < muchSpace; size += chunk {
			if err := allocate(f, size, chunk); err != nil {
				return fmt.Errorf("allocate, after %d MiB: %w", size>>20, err)
			}
		}
		return nil
	}
}

// allocate allocates n bytes at an offset. It writes them if the file system has no other way.
func allocate(f *os.File, at, n int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, at, n)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP):
			_, err = f.WriteAt(make([]byte, n), at)
		}
		return err
	}
}
