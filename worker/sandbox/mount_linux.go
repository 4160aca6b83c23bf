package sandbox

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Mounts are made with the calls that take descriptors (fsopen(2), open_tree(2), move_mount(2);
// Linux 5.12), so that no path is looked up twice.

// Attributes of mounts. No mount allows set-uid programs, and only /dev allows devices.
const (
	readOnlyAttrs  = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	readWriteAttrs = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	deviceAttrs    = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
	procAttrs      = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
)

// fsOption is an option of a file system. A flag has no value.
type fsOption struct{ key, value string }

// newMount makes a file system that is not attached yet.
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
	return fd, wrap(err, "make a %s: fsmount", kind)
}

func newTmpfs(size int64, mode string) (int, error) {
	return newMount("tmpfs", readWriteAttrs, fsOption{"size", strconv.FormatInt(size, 10)}, fsOption{"mode", mode},
		fsOption{"nr_inodes", strconv.FormatInt(max(size>>12, 1024), 10)})
}

// cloneMount copies the tree at path beneath dir, with the mounts in it, as a mount that is not
// attached yet. With an empty path it copies dir itself.
func cloneMount(dir int, path string, attrs uint64) (int, error) {
	flags := uint(unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	fd, err := unix.OpenTree(dir, path, flags)
	if err != nil {
		return -1, fmt.Errorf("copy the mount %q: open_tree: %w", path, err)
	}
	attr := unix.MountAttr{Attr_set: attrs, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return -1, errors.Join(fmt.Errorf("restrict the mount %q: mount_setattr: %w", path, err), unix.Close(fd))
	}
	return fd, nil
}

// attachMount attaches a mount at an existing path, or at dir itself if path is empty, and closes
// its descriptor.
func attachMount(fd, dir int, path string) error {
	flags := unix.MOVE_MOUNT_F_EMPTY_PATH
	if path == "" {
		flags |= unix.MOVE_MOUNT_T_EMPTY_PATH
	}
	err := unix.MoveMount(fd, "", dir, path, flags)
	if err != nil {
		err = fmt.Errorf("attach the mount %q: move_mount: %w", path, err)
	}
	return errors.Join(err, unix.Close(fd))
}

// openBeneath opens a folder or file beneath root. It follows no link that leads out of root, and
// no link at all on the way to root: the configuration named a path without links, so a link there
// is new. resolve has more flags of openat2(2) for the path.
func openBeneath(root, path string, resolve uint64) (fd int, err error) {
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
	resolve |= unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve}
	// the kernel answers EAGAIN if a rename elsewhere happened during the lookup of a ".."
	// (openat2(2))
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

// openChecked opens the bind's folder, which must be the checked folder.
func (b BindMount) openChecked() (int, error) {
	fd, err := openBeneath(b.Root, b.Path, 0)
	if err != nil {
		return -1, err
	}
	return b.sameOrClose(fd)
}

// sameOrClose returns fd if it is the folder that was checked. Otherwise it closes fd and returns
// an error.
func (b BindMount) sameOrClose(fd int) (int, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	switch {
	case err != nil:
		err = fmt.Errorf("look at %s: %w", b.path(), err)
	case uint64(st.Dev) != b.Device || st.Ino != b.Inode:
		err = fmt.Errorf("%s is another folder than the one that was checked", b.path())
	default:
		return fd, nil
	}
	return -1, errors.Join(err, unix.Close(fd))
}
