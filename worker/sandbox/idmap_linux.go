package sandbox

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstMountFD is the first of stage one's descriptors of mounts.
const firstMountFD = toolRulesFD + 1

// lastID is the greatest id that a user namespace maps (user_namespaces(7)).
const lastID = 1<<32 - 2

// OpenIDSwapNamespace opens a user namespace that swaps the ids of two accounts. All other ids stay
// the same. The caller locks its thread, and closes the returned namespace.
func OpenIDSwapNamespace(uids, gids [2]int) (fd int, err error) {
	pid, err := syscall.ForkExec(selfExe, []string{"mews-spawner"}, &syscall.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER, UidMappings: swapped(uids), GidMappings: swapped(gids),
		Ptrace: true, Pdeathsig: syscall.SIGKILL, // the child stops before its first instruction
	}})
	if err != nil {
		return -1, fmt.Errorf("make a user namespace: %w", err)
	}
	fd, err = unix.Open(fmt.Sprintf("/proc/%d/ns/user", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	_ = unix.Kill(pid, unix.SIGKILL) // the child has not been reaped, so the pid is its own
	for status := unix.WaitStatus(0); !status.Signaled() && !status.Exited(); {
		if _, bad := unix.Wait4(pid, &status, unix.WALL, nil); bad != nil && bad != unix.EINTR {
			return fd, errors.Join(err, fmt.Errorf("wait for process %d: %w", pid, bad))
		}
	}
	return fd, err
}

// swapped maps all ids to themselves except two, which it swaps.
func swapped(ids [2]int) (list []syscall.SysProcIDMap) {
	low, high := min(ids[0], ids[1]), max(ids[0], ids[1])
	for _, m := range []syscall.SysProcIDMap{
		{ContainerID: 0, HostID: 0, Size: low}, {ContainerID: low, HostID: high, Size: 1},
		{ContainerID: low + 1, HostID: low + 1, Size: high - low - 1}, {ContainerID: high, HostID: low, Size: 1},
		{ContainerID: high + 1, HostID: high + 1, Size: lastID - high},
	} {
		if m.Size > 0 {
			list = append(list, m)
		}
	}
	return list
}

// CloneMount clones the mount of an open folder with the ids of a user namespace. Through the
// mount, a file of an account belongs to the account with the mapped id (mount_setattr(2),
// MOUNT_ATTR_IDMAP). The file system must support that. The caller closes the mount, and gives it
// to StartStageOne. number is the mount's position, from 0, among the mounts that StartStageOne
// gets.
func (b *BindMount) CloneMount(folder, namespace, number int) (mount int, err error) {
	mount, err = unix.OpenTree(folder, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("lend %s: open_tree: %w", b.path(), err)
	}
	attr := unix.MountAttr{Attr_set: readWriteAttrs | unix.MOUNT_ATTR_IDMAP, Propagation: unix.MS_PRIVATE, Userns_fd: uint64(namespace)}
	if err := unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return -1, errors.Join(fmt.Errorf("lend %s: mount_setattr: %w", b.path(), err), unix.Close(mount))
	}
	b.Mount = firstMountFD + number
	return mount, nil
}

// openLent returns the mount of a shared folder, if the folder is still the checked folder.
func (b BindMount) openLent() (int, error) {
	fd, err := unix.FcntlInt(uintptr(b.Mount), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("the mount of %s: %w", b.path(), err)
	}
	return b.sameOrClose(fd)
}
