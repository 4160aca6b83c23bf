package sandbox

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Mounts are made with the calls that take descriptors (fsopen(2), open_tree(2), move_mount(2); Linux 5.12), so that
// no path is looked up twice.

const (
	readOnlyAttrs  = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	readWriteAttrs = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	deviceAttrs    = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
	procAttrs      = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
)

// fsOption is one of a file system's.
type fsOption struct{ key, value string }

// newMount makes a file system that is attached nowhere yet.
func newMount(kind string, attrs int, options ...fsOption) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("make a %s: fsopen: %w", kind, err)
	}
	defer unix.Close(fs)
	for _, o := range options {
		if o.value == "" {
			err = unix.FsconfigSetFlag(fs, o.key)
		} else {
			err = unix.FsconfigSetString(fs, o.key, o.value)
		}
		if err != nil {
			return -1, fmt.Errorf("make a %s: %s=%s: %w", kind, o.key, o.value, err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("make a %s: %w", kind, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attrs)
	if err != nil {
		return -1, fmt.Errorf("make a %s: fsmount: %w", kind, err)
	}
	return fd, nil
}

func newTmpfs(size int64, mode string) (int, error) {
	return newMount("tmpfs", readWriteAttrs, fsOption{"size", strconv.FormatInt(size, 10)}, fsOption{"mode", mode},
		fsOption{"nr_inodes", strconv.FormatInt(max(size>>12, 1024), 10)})
}

// cloneMount is what is at path beneath dir, with what is mounted in it, as a mount that is attached nowhere yet.
func cloneMount(dir int, path string, attrs uint64) (int, error) {
	flags := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	fd, err := unix.OpenTree(dir, path, flags)
	if err != nil {
		return -1, fmt.Errorf("copy the mount%s: open_tree: %w", ofPath(path), err)
	}
	attr := unix.MountAttr{Attr_set: attrs, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return -1, errors.Join(fmt.Errorf("restrict the mount%s: mount_setattr: %w", ofPath(path), err), unix.Close(fd))
	}
	return fd, nil
}

// ofPath names what an error is about; the caller names what it knows by its descriptor alone.
func ofPath(path string) string {
	if path == "" {
		return ""
	}
	return " of " + path
}

// attach puts a mount at a path that is there, or at what dir is where path is empty, and closes its descriptor.
func attach(fd, dir int, path string) error {
	flags := unix.MOVE_MOUNT_F_EMPTY_PATH
	if path == "" {
		flags |= unix.MOVE_MOUNT_T_EMPTY_PATH
	}
	err := unix.MoveMount(fd, "", dir, path, flags)
	if err != nil {
		err = fmt.Errorf("attach the mount%s: move_mount: %w", ofPath(path), err)
	}
	return errors.Join(err, unix.Close(fd))
}

// openBeneath opens a folder or file beneath root, following no link that leads out of it, and none on the way to root: what
// was no link when the configuration was read was made one by somebody since. The kernel answers EAGAIN
// when a rename elsewhere made it unsure of a ".." (openat2(2)); it is then asked again, a few times.
func openBeneath(root, path string) (fd int, err error) {
	dir, err := unix.Openat2(unix.AT_FDCWD, root, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err == unix.ELOOP {
		return -1, fmt.Errorf("open %s: there is a symbolic link in this path", root)
	}
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", root, err)
	}
	defer unix.Close(dir)
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	for range 8 {
		fd, err = unix.Openat2(dir, path, &how)
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return -1, fmt.Errorf("open %s beneath %s: %w", path, root, err)
	}
	return fd, nil
}

// sameOrClose gives back a descriptor that is of the folder that was checked, and closes another.
func (b Bind) sameOrClose(fd int) (int, error) {
	if err := b.checkSame(fd); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// checkSame says whether a descriptor is of the folder that the spawner has checked.
func (b Bind) checkSame(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", b.path(), err)
	}
	if uint64(st.Dev) != b.Device || st.Ino != b.Inode {
		return fmt.Errorf("%s is another folder than the one that was checked", b.path())
	}
	return nil
}
