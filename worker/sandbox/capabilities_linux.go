package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// stageOneCapabilities are the capabilities that stage one needs inside its own user namespace: to
// mount, and to empty its bounding set.
var stageOneCapabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}

// dropCapabilities gives up all capabilities for good, for the calling thread and all that it
// starts.
func dropCapabilities() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		// EINVAL: the kernel has no further capabilities. EPERM: the thread has no CAP_SETPCAP.
		// Capabilities left in the bounding set could then come from a program with file
		// capabilities, but no_new_privs prevents that.
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break
		}
		if err != nil {
			return fmt.Errorf("drop capability %d from the bounding set: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return wrap(unix.Capset(&header, &none[0]), "drop the capabilities: capset")
}

// effectiveCapabilities returns the effective capabilities of the calling thread, one bit each.
func effectiveCapabilities() (uint64, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return 0, fmt.Errorf("read the capabilities: capget: %w", err)
	}
	return uint64(have[1].Effective)<<32 | uint64(have[0].Effective), nil
}

// setAccount changes the account of the calling thread for good, and leaves all supplementary
// groups. A uid below 0 changes nothing. (The calls of package syscall would change all threads.)
func setAccount(uid, gid int) error {
	if uid < 0 {
		return nil
	}
	if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); e != 0 {
		return fmt.Errorf("leave the groups: setgroups: %w", e)
	}
	if _, _, e := unix.RawSyscall(unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)); e != 0 {
		return fmt.Errorf("become group %d: setresgid: %w", gid, e)
	}
	if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); e != 0 {
		return fmt.Errorf("become uid %d: setresuid: %w", uid, e)
	}
	return nil
}
