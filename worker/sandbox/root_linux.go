package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The root of a worker starts empty. Only the paths below are added. So the host's /run, /var and
// /sys, other users' homes and the service's own folders do not exist there.

// systemDirs are the host's folders that programs need, read-only. A link on the host is the same
// link inside.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// etcFromHost are the files and folders of the host's /etc that programs need. None of these files
// holds a secret.
var etcFromHost = []string{
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs",
	"pki/ca-trust/extracted", "alternatives", "localtime", "timezone", "mime.types", "magic", "fonts", "terminfo",
	"inputrc", "bash.bashrc", "protocols", "services", "python3", "python3.11", "python3.12", "python3.13",
	"ImageMagick-6", "ImageMagick-7", "vim",
}

// etcWritten are the files of /etc that are the same for every host. {uid} and {gid} stand for the
// worker's account.
var etcWritten = map[string]string{
	"passwd": "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" +
		"user:x:{uid}:{gid}::/home:/bin/bash\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
	"group":         "root:x:0:\nuser:x:{gid}:\nnogroup:x:65534:\n",
	"hosts":         "127.0.0.1 localhost mews\n::1 localhost\n",
	"hostname":      "mews\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}

// devices are the device files that programs expect.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// newLinks are the links of the new root that every system has.
var newLinks = map[string]string{
	"dev/fd": "/proc/self/fd", "dev/stdin": "/proc/self/fd/0", "dev/stdout": "/proc/self/fd/1", "dev/stderr": "/proc/self/fd/2",
	"dev/ptmx": "pts/ptmx", "var/tmp": "/tmp",
}

const rootSize = 1 << 20 // most bytes in the root: empty folders, links and a few lines of text

// tempMountPoint is a folder that every system has. The new root is mounted over it before it
// becomes the root.
const tempMountPoint = "/usr"

// buildRoot restricts this process, in its own mount namespace, to the files of the plan. The
// working directory must be the home, and is the home inside afterwards.
func buildRoot(p Plan) error {
	defer unix.Umask(unix.Umask(0o022)) // the worker keeps the spawner's umask
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	granted, err := cloneGranted(p)
	if err != nil {
		return err
	}
	system, err := cloneSystem(p)
	if err != nil {
		return err
	}
	root, err := newTmpfs(rootSize, "0755")
	if err != nil {
		return err
	}
	defer unix.Close(root)
	if err := unix.MoveMount(root, "", unix.AT_FDCWD, tempMountPoint, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach the new root: move_mount: %w", err)
	}
	if err := unix.Fchdir(root); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	for _, fill := range []func() error{
		makeFolders,
		func() error { return attachAll(system) },
		func() error { return writeEtc(p) },
		func() error { return mountNew(p) },
		makeLinks,
		func() error { return attachAll(granted) },
		func() error { return pivotRoot(root, p) },
	} {
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

// makeFolders makes the empty folders of the new root, which is the working directory.
func makeFolders() error {
	for _, name := range []string{"dev", "etc", "run", "var", InnerWorkspacesPath[1:]} {
		if err := os.Mkdir(name, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// pendingMount is a mount that is not attached yet, or a link that is not made yet.
type pendingMount struct {
	fd   int
	at   string // path relative to the new root
	dir  bool
	link string // the link's target; "" means a mount
}

// cloneGranted clones the home and the plan's binds before the host's root is replaced.
func cloneGranted(p Plan) ([]pendingMount, error) {
	if p.hasNoFolders() {
		return nil, nil
	}
	fd, err := cloneHome(p)
	if err != nil {
		return nil, fmt.Errorf("home %s: %w", p.Home.path(), err)
	}
	list := []pendingMount{{fd: fd, at: InnerHomePath[1:], dir: true}}
	for _, b := range p.Binds {
		one, err := b.clone()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// cloneHome clones the home, unless its mount was shared.
func cloneHome(p Plan) (int, error) {
	if p.Home.Mount > 0 {
		return p.Home.openLent()
	}
	home, err := openHome(p)
	if err != nil {
		return -1, err
	}
	defer unix.Close(home)
	return cloneMount(home, "", readWriteAttrs)
}

// openHome opens the working directory, which must be the home that was checked.
func openHome(p Plan) (int, error) {
	fd, err := unix.Open(".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open the home: %w", err)
	}
	return p.Home.sameOrClose(fd)
}

func (b BindMount) clone() (pendingMount, error) {
	attrs, at := uint64(readOnlyAttrs), strings.TrimPrefix(filepath.Clean(b.path()), "/")
	if b.Writable {
		attrs = readWriteAttrs
	}
	if b.Name != "" {
		at = InnerWorkspacesPath[1:] + "/" + b.Name
	}
	if b.Mount > 0 {
		tree, err := b.openLent()
		return pendingMount{fd: tree, at: at, dir: true}, err
	}
	fd, err := b.openChecked()
	if err != nil {
		return pendingMount{}, err
	}
	defer unix.Close(fd)
	tree, err := cloneMount(fd, "", attrs)
	if err != nil {
		return pendingMount{}, fmt.Errorf("folder %s: %w", b.path(), err)
	}
	return pendingMount{fd: tree, at: at, dir: true}, nil
}

// cloneSystem clones the host's folders that programs need. It leaves out folders that the account
// cannot see. For a worker that runs no programs it clones none.
func cloneSystem(p Plan) ([]pendingMount, error) {
	if p.hasNoFolders() {
		return nil, nil
	}
	paths := slices.Clone(systemDirs)
	for _, name := range etcFromHost {
		paths = append(paths, "/etc/"+name)
	}
	var list []pendingMount
	for _, path := range paths {
		one, err := cloneOrReadLink(path)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

func cloneOrReadLink(path string) (pendingMount, error) {
	one := pendingMount{at: path[1:], fd: -1}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.Mode()&os.ModeSymlink != 0:
		one.link, err = os.Readlink(path)
	default:
		one.dir = info.IsDir()
		one.fd, err = cloneMount(unix.AT_FDCWD, path, readOnlyAttrs)
	}
	return one, err
}

func attachAll(list []pendingMount) error {
	for _, m := range list {
		if err := m.attach(); err != nil {
			return err
		}
	}
	return nil
}

// attach makes the mount point, with the folders above it, and attaches the mount, or makes the
// link. It follows no link, because the path may be in a user's folder.
func (m pendingMount) attach() error {
	dir, err := openOrMake(filepath.Dir(m.at))
	if err != nil {
		return fmt.Errorf("make the mount point for /%s: %w", m.at, err)
	}
	defer unix.Close(dir)
	name := filepath.Base(m.at)
	if err := m.makeMountPoint(dir, name); err != nil {
		return fmt.Errorf("make the mount point for /%s: %w", m.at, err)
	}
	if m.link != "" {
		return nil
	}
	target, err := unix.Openat2(dir, name, &openNoLinks)
	if err != nil {
		return fmt.Errorf("open the mount point for /%s: %w", m.at, err)
	}
	defer unix.Close(target)
	if err := attachMount(m.fd, target, ""); err != nil {
		return fmt.Errorf("give /%s: %w", m.at, err)
	}
	return nil
}

// makeMountPoint makes the mount point, or the link.
func (m pendingMount) makeMountPoint(dir int, name string) (err error) {
	switch {
	case m.link != "":
		return unix.Symlinkat(m.link, dir, name)
	case m.dir:
		err = unix.Mkdirat(dir, name, 0o755)
	default:
		err = unix.Mknodat(dir, name, unix.S_IFREG|0o644, 0)
	}
	if err == unix.EEXIST {
		return nil
	}
	return err
}

// openNoLinks are the flags for opening mount points.
var openNoLinks = unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}

// openOrMake opens a folder beneath the working directory, and makes its missing parts.
func openOrMake(at string) (int, error) {
	dir, err := unix.Openat2(unix.AT_FDCWD, at, &openNoLinks)
	if err != unix.ENOENT {
		return dir, err
	}
	above, err := openOrMake(filepath.Dir(at))
	if err != nil {
		return -1, err
	}
	defer unix.Close(above)
	if err := unix.Mkdirat(above, filepath.Base(at), 0o755); err != nil && err != unix.EEXIST {
		return -1, err
	}
	return unix.Openat2(above, filepath.Base(at), &openNoLinks)
}

func writeEtc(p Plan) error {
	uid, gid := os.Getuid(), os.Getgid()
	if p.UID >= 0 { // the account is changed later
		uid, gid = p.UID, p.GID
	}
	fill := strings.NewReplacer("{uid}", strconv.Itoa(uid), "{gid}", strconv.Itoa(gid))
	for name, text := range etcWritten {
		if err := writeFile("etc/"+name, fill.Replace(text)); err != nil {
			return fmt.Errorf("write /etc/%s: %w", name, err)
		}
	}
	return nil
}

// mountNew mounts the devices, and the file systems that only the worker has and that end with it.
func mountNew(p Plan) error {
	l := p.Limits.withDefaults()
	for _, name := range devices {
		fd, err := cloneMount(unix.AT_FDCWD, "/dev/"+name, deviceAttrs)
		if err == nil {
			err = pendingMount{fd: fd, at: "dev/" + name}.attach()
		}
		if err != nil {
			return err
		}
	}
	tmpfs := func() (int, error) { return newTmpfs(l.Tmp, "1777") }
	mounts := []struct {
		at  string
		new func() (int, error)
	}{{"proc", newProc}, {"dev/pts", newPTS}, {"tmp", tmpfs}, {"dev/shm", tmpfs}}
	if p.hasNoFolders() {
		mounts = mounts[:1] // a worker without folders gets no writable file system
	}
	for _, m := range mounts {
		fd, err := m.new()
		if err == nil {
			err = pendingMount{fd: fd, at: m.at, dir: true}.attach()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxTerminals bounds the pseudo-terminals of a worker and its programs together. The
// machine has 4,096 (kernel.pty.max).
const maxTerminals = 64

// newPTS mounts terminals that no other process has.
func newPTS() (int, error) {
	return newMount("devpts", deviceAttrs, fsOption{"newinstance", ""}, fsOption{"ptmxmode", "0666"}, fsOption{"mode", "0620"},
		fsOption{"max", strconv.Itoa(maxTerminals)})
}

func newProc() (int, error) {
	fd, err := newMount("proc", procAttrs)
	if err != nil {
		err = fmt.Errorf("%w ("+textProcMasked+")", err)
	}
	return fd, err
}

func makeLinks() error {
	for name, to := range newLinks {
		if err := os.Symlink(to, name); err != nil {
			return err
		}
	}
	return nil
}

// pivotRoot makes the working directory the root, detaches the host's root, and makes the new root
// read-only.
func pivotRoot(root int, p Plan) error {
	if err := unix.PivotRoot(".", "."); err != nil { // the new root is stacked on the old root: pivot_root(2)
		return fmt.Errorf("change the root: pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the host's root: umount2: %w", err)
	}
	attr := unix.MountAttr{Attr_set: readOnlyAttrs}
	if err := unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("close the root to writing: mount_setattr: %w", err)
	}
	if p.hasNoFolders() {
		return os.Chdir("/")
	}
	return os.Chdir(InnerHomePath)
}
