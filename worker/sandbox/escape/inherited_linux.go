package escape

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inherited returns the rows D2 and E1. They are about resources that a tool's process inherits, so
// they must be tried in a tool's process.
func inherited() []Probe {
	return []Probe{
		{Row: "D1", What: "have a descriptor that nobody gave on purpose", Core: true, run: haveDescriptor},
		{Row: "D2", What: "have the protocol for standard output", Kernel: true, run: haveProtocol},
		{Row: "D3", What: "open the worker's end of the protocol", Core: true, run: openProtocol},
		{Row: "D4", What: "type into the controlling terminal", Kernel: true, run: typeAhead},
	}
}

// descriptors returns the descriptors that came through execve. It leaves out those that this
// program and its runtime have opened, because Go sets close-on-exec on each of them.
func descriptors() []int {
	var fds []int
	for _, fd := range candidates() {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}

// candidates returns the numbers to check: those in /proc, or the first few thousand if there is no
// /proc.
func candidates() []int {
	var fds []int
	entries, err := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			fds = append(fds, fd)
		}
	}
	if err != nil || len(fds) == 0 {
		for fd := range 4096 {
			fds = append(fds, fd)
		}
	}
	return fds
}

func haveDescriptor(v Victims) error {
	var extra []string
	for _, fd := range descriptors() {
		if fd <= 2 || slices.Contains(v.Open, fd) {
			continue
		}
		link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil {
			link = "?"
		}
		extra = append(extra, fmt.Sprintf("%d: %s", fd, link))
	}
	if len(extra) == 0 {
		return errors.New("there is none")
	}
	return escapedError(strings.Join(extra, ", "))
}

// haveProtocol looks for a socket among the descriptors. The protocol is a socket, and a tool gets
// no socket.
func haveProtocol(v Victims) error {
	for _, fd := range descriptors() {
		var stat unix.Stat_t
		if slices.Contains(v.Open, fd) || unix.Fstat(fd, &stat) != nil {
			continue
		}
		if stat.Mode&unix.S_IFMT == unix.S_IFSOCK {
			return escapedError(fmt.Sprintf("descriptor %d is a socket", fd))
		}
	}
	return errors.New("no descriptor is a socket")
}

// openProtocol opens the worker's descriptors again. That works with a pipe, and the supervisor
// then takes the written bytes for bytes of the worker. It does not work with a socket.
func openProtocol(v Victims) error {
	var all []error
	for _, fd := range []string{"0", "1"} {
		err := openAnew(filepath.Join(inProc(v.worker(), "fd"), fd))
		if err == nil {
			return escapedError("the worker's descriptor " + fd)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// openAnew opens a file for writing, but writes nothing, because another process reads the file.
func openAnew(path string) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if kind := stat.Mode & unix.S_IFMT; kind != unix.S_IFIFO && kind != unix.S_IFREG {
		return fmt.Errorf("%s could be opened, and is no pipe: nothing listens there", path)
	}
	return nil
}

// typeAhead puts a space into the terminal's input as if a user had typed it, and removes it again.
func typeAhead(Victims) error {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer terminal.Close()
	space := byte(' ')
	_, _, errno := syscall.Syscall(unix.SYS_IOCTL, terminal.Fd(), unix.TIOCSTI, uintptr(unsafe.Pointer(&space)))
	if errno != 0 {
		return fmt.Errorf("ioctl TIOCSTI: %w", errno)
	}
	signal.Ignore(syscall.SIGTTOU) // the signal would stop a background process
	return afterUndo(unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH))
}
