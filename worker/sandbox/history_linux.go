package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// attributes of the history's mount
	historyAttrs = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	// rights of a worker below the history's folder
	rightsHistory = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REFER
)

// OpenHistory opens the folder of a file history in root. It is like OpenBindMount, but follows no
// link at all.
func OpenHistory(root, name string) (BindMount, int, error) {
	return openBind(root, name, unix.RESOLVE_NO_SYMLINKS)
}

// PassHistory prepares the open folder of the plan's history for stage one. It returns the folder
// itself, or closes it and returns a mount of it. The caller sets Launch.History to that
// descriptor, and closes it. -1 means that stage one opens the folder by its path.
func (p *Plan) PassHistory(folder int, privilege Privilege) (fd int, err error) {
	if p.Tier == TierLandlock {
		p.History.Mount = historyFD
		return folder, nil
	}
	defer unix.Close(folder)
	if privilege != PrivilegeRoot {
		return -1, nil
	}
	mount, err := cloneHistory(folder)
	switch {
	case err == nil:
		p.History.Mount = historyFD
	case errors.Is(err, unix.EPERM): // root in a container may lack CAP_SYS_ADMIN
		return -1, nil
	}
	return mount, err
}

// cloneHistory clones the mount of the history's open folder. The clone is attached nowhere. The
// caller needs CAP_SYS_ADMIN over its mounts.
func cloneHistory(folder int) (mount int, err error) { return cloneMount(folder, "", historyAttrs) }

// openHistory leaves the folder of the file history in historyFD, for the worker. With a mount
// namespace it is a mount that is attached nowhere, so that no path leads to it, and no path leads
// out of it.
func openHistory(p Plan) error {
	if p.History == (BindMount{}) {
		return nil
	}
	fd, err := p.openHistoryFolder()
	if err != nil {
		return err
	}
	if fd == historyFD { // the file stays open on execve(2), unlike all others
		_, err := unix.FcntlInt(historyFD, unix.F_SETFD, 0)
		return err
	}
	return errors.Join(unix.Dup3(fd, historyFD, 0), unix.Close(fd))
}

// openHistoryFolder returns the history's folder, or its mount. It must be the folder that was
// checked.
func (p Plan) openHistoryFolder() (int, error) {
	if p.History.Mount > 0 {
		return p.History.sameOrClose(historyFD)
	}
	folder, err := p.History.openChecked()
	if err != nil || p.Tier == TierLandlock {
		return folder, err
	}
	defer unix.Close(folder)
	return cloneHistory(folder)
}

// historyRule allows the worker to use the history's folder.
var historyRule = rule{path: fdPath(historyFD), rights: rightsHistory}

// leaveToolRules makes the rules of the tool layer, and leaves them in toolRulesFD for the worker.
// Without namespaces the history has a path, so programs need rules that lack it.
func leaveToolRules(version int, rules []rule) error {
	set, err := newRuleset(version, rules)
	if err != nil {
		return err
	}
	return errors.Join(unix.Dup3(set, toolRulesFD, 0), unix.Close(set))
}

// reopenFolder opens the folder of an O_PATH descriptor for reading. Without namespaces a program
// may have changed the folder's mode, so reopenFolder sets it again.
func reopenFolder(folder *os.File) (*os.File, error) {
	defer folder.Close()
	if err := os.Chmod(fdPath(int(folder.Fd())), 0o700); err != nil {
		return nil, fmt.Errorf("close the folder of the file history to others: %w", err)
	}
	fd, err := unix.Openat(int(folder.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the file history: %w", err)
	}
	return os.NewFile(uintptr(fd), "file history"), nil
}
