package escape

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func others() []Probe {
	return []Probe{
		{Row: "C1", What: "move to the root cgroup (v2)", Kernel: true, run: moveToRoot("cgroup2")},
		{Row: "C2", What: "move to the root cgroup (v1)", Kernel: true, run: moveToRoot("cgroup")},
		{Row: "E1", What: "find a secret in the environment", Core: true, Kernel: true, run: readOwnEnviron},
		{Row: "X1", What: "leave a daemon behind", run: leaveDaemon},
	}
}

// moveToRoot moves a child, which ends at once, to the root of every hierarchy of that type.
func moveToRoot(kind string) func(Victims) error {
	return func(Victims) error {
		roots, err := mounted(kind)
		if err != nil {
			return err
		}
		return withPaused(func(pid int) error {
			var first error
			for _, root := range roots {
				err := writeThere(filepath.Join(root, "cgroup.procs"), strconv.Itoa(pid))
				if err == nil {
					return escapedError(root)
				}
				first = cmp.Or(first, err)
			}
			return first // the other hierarchies would give the same answer
		})
	}
}

// mounted lists the mount points of a type of file system.
func mounted(kind string) ([]string, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	var points []string
	for line := range strings.Lines(string(mounts)) {
		if words := strings.Fields(line); len(words) > 2 && words[2] == kind {
			points = append(points, words[1])
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("no file system of type %s is mounted", kind)
	}
	return points, nil
}

// readOwnEnviron reads this process's environment as it was executed and as it is now.
func readOwnEnviron(v Victims) error {
	if err := checkSecret([]byte(strings.Join(os.Environ(), "\x00")), v); err == nil || errors.As(err,
		new(notTriedError)) {
		return err
	}
	given, err := os.ReadFile("/proc/self/environ")
	if err == nil && bytes.Contains(given, []byte(v.Secret)) {
		return nil
	}
	return errors.New("it is not there")
}

// daemonLife is the number of seconds after which the daemon of row X1 ends by itself.
const daemonLife = 60

// leaveDaemon starts a process without a parent, in a new session, that locks the marker. Only the
// caller can tell afterwards, by the lock, whether the process outlives the worker.
func leaveDaemon(v Victims) error {
	if v.Marker == "" {
		return notTriedError("no marker was named")
	}
	marker, err := os.OpenFile(v.Marker, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer marker.Close()
	ready, told, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	plan := &daemon{marker: marker.Fd(), told: told.Fd(), life: unix.Timespec{Sec: daemonLife}}
	plan.lock = unix.Flock_t{Type: unix.F_WRLCK}
	pid, errno := cloneDaemon(plan)
	if err := errors.Join(told.Close(), childError("clone a daemon", pid, errno)); err != nil {
		return err
	}
	if n, err := ready.Read(make([]byte, 1)); n != 1 {
		return fmt.Errorf("the daemon ended before it held its lock: %w", err)
	}
	return notTriedError("the daemon was started; the caller will see whether it outlives its worker")
}

// daemon holds the arguments of the system calls that the daemon of row X1 makes. They are prepared
// before the fork.
type daemon struct {
	marker, told uintptr
	lock         unix.Flock_t
	life         unix.Timespec
}

// cloneDaemon makes a child that starts a session, makes the daemon and ends.
//
//go:nosplit
//go:norace
func cloneDaemon(plan *daemon) (pid int, errno syscall.Errno) {
	pid, errno = clone(0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	second, e := clone(0)
	if second != 0 || e != 0 {
		exit(uintptr(e))
	}
	_, _, e = syscall.RawSyscall(unix.SYS_FCNTL, plan.marker, unix.F_SETLK, uintptr(unsafe.Pointer(&plan.lock)))
	if e != 0 {
		exit(uintptr(e))
	}
	syscall.RawSyscall(unix.SYS_WRITE, plan.told, uintptr(unsafe.Pointer(plan)), 1)
	if plan.marker > 0 {
		// closes inherited descriptors, so that no process waits for them
		syscall.RawSyscall(unix.SYS_CLOSE_RANGE, 0, plan.marker-1, 0)
	}
	syscall.RawSyscall(unix.SYS_CLOSE_RANGE, plan.marker+1, 1<<32-1, 0)
	left := uintptr(unsafe.Pointer(&plan.life))
	for {
		if _, _, e = syscall.RawSyscall(unix.SYS_NANOSLEEP, left, left, 0); e == 0 {
			exit(0)
		}
	}
}
