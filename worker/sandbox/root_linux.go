package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The root that a worker sees is made of nothing: what is not named here is not there. Nothing of /run, /var, /sys, of
// other people's homes or of the service's own folders is.

// systemDirs is what programs need of the host, for reading. One that is a link on the host is the same link.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// etcFromHost are the files and folders of /etc that programs need; none holds a secret.
var etcFromHost = []string{
	"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs",
	"pki/ca-trust/extracted", "alternatives", "localtime", "timezone", "mime.types", "magic", "fonts", "terminfo",
	"inputrc", "bash.bashrc", "protocols", "services", "python3", "python3.11", "python3.12", "python3.13",
	"ImageMagick-6", "ImageMagick-7", "vim",
}

// etcWritten are the files of /etc that say nothing of the host. %d are the worker's uid and group.
var etcWritten = map[string]string{
	"passwd": "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" +
		"user:x:%[1]d:%[2]d::/home:/bin/bash\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
	"group":         "root:x:0:\nuser:x:%[2]d:\nnogroup:x:65534:\n",
	"hosts":         "127.0.0.1 localhost mews\n::1 localhost\n",
	"hostname":      "mews\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}

// devices are those that a program may expect.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// devLinks are in /dev as everywhere.
var devLinks = map[string]string{
	"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	"ptmx": "pts/ptmx",
}

const rootSize = 1 << 20 // for empty folders, links and a few lines of text

// tempMountPoint is any folder that every system has: the new root hangs over it until it is the root.
const tempMountPoint = "/usr"

// buildRoot has this process, in its own mount namespace, see nothing but what the plan grants. The working directory
// must be the home; it is the home within.
func buildRoot(p Plan) error {
	defer unix.Umask(unix.Umask(0o022)) // the worker has its spawner's
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	granted, err := cloneGranted(p)
	if err != nil {
		return err
	}
	host, err := cloneSystem()
	if err != nil {
		return err
	}
	root, err := newTmpfs(rootSize, "0755")
	if err != nil {
		return err
	}
	keep, err := unix.FcntlInt(uintptr(root), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fmt.Errorf("keep the new root: %w", err)
	}
	if err := attach(root, unix.AT_FDCWD, tempMountPoint); err != nil {
		return err
	}
	if err := unix.Fchdir(keep); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	for _, put := range []func() error{
		func() error { return forEach(host, pendingMount.attach) },
		func() error { return writeEtc(p) },
		makeDev,
		func() error { return makeProcAndTmp(p.Limits.withDefaults()) },
		func() error { return forEach(granted, pendingMount.attachBeneath) },
		func() error { return pivotRoot(keep) },
	} {
		if err := put(); err != nil {
			return err
		}
	}
	return unix.Close(keep)
}

// pendingMount is a mount that waits for its place, or a link that is made there.
type pendingMount struct {
	fd   int
	at   string // relative to the new root
	dir  bool
	link string
}

// cloneGranted opens the home, and what else the plan names, where the host still has it.
func cloneGranted(p Plan) ([]pendingMount, error) {
	home, err := openHome(p)
	if err != nil {
		return nil, err
	}
	defer unix.Close(home)
	fd, err := cloneMount(home, "", readWriteAttrs)
	if err != nil {
		return nil, fmt.Errorf("home %s: %w", p.Home.path(), err)
	}
	list := []pendingMount{{fd: fd, at: HomeInside[1:], dir: true}}
	for _, b := range p.Binds {
		one, err := b.clone()
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// openHome opens the working directory, which must be the home that was checked.
func openHome(p Plan) (int, error) {
	fd, err := unix.Open(".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open the home: %w", err)
	}
	return p.Home.sameOrClose(fd)
}

// openChecked opens a bind's folder, which must be the one that was checked.
func (b Bind) openChecked() (int, error) {
	fd, err := openBeneath(b.Root, b.Path)
	if err != nil {
		return -1, err
	}
	return b.sameOrClose(fd)
}

// clone has a bind's folder wait for its place.
func (b Bind) clone() (pendingMount, error) {
	fd, err := b.openChecked()
	if err != nil {
		return pendingMount{}, err
	}
	defer unix.Close(fd)
	attrs, at := uint64(readOnlyAttrs), strings.TrimPrefix(filepath.Clean(b.path()), "/")
	if b.Writable {
		attrs = readWriteAttrs
	}
	if b.Name != "" {
		at = WorkspacesInside[1:] + "/" + b.Name
	}
	tree, err := cloneMount(fd, "", attrs)
	if err != nil {
		return pendingMount{}, fmt.Errorf("folder %s: %w", b.path(), err)
	}
	return pendingMount{fd: tree, at: at, dir: true}, nil
}

// cloneSystem opens what of the host programs need.
func cloneSystem() ([]pendingMount, error) {
	var list []pendingMount
	paths := append([]string{}, systemDirs...)
	for _, name := range etcFromHost {
		paths = append(paths, "/etc/"+name)
	}
	for _, path := range paths {
		one, err := cloneOrReadLink(path)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) { // what the account can't see, the worker doesn't
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
	if err != nil {
		return one, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		one.link, err = os.Readlink(path)
		return one, err
	}
	one.dir = info.IsDir()
	one.fd, err = cloneMount(unix.AT_FDCWD, path, readOnlyAttrs)
	return one, err
}

func forEach(list []pendingMount, put func(pendingMount) error) error {
	for _, p := range list {
		if err := put(p); err != nil {
			return err
		}
	}
	return nil
}

// attach makes the place and attaches the mount there. The new root is this process's alone, so that paths in it lead where
// they say.
func (p pendingMount) attach() error {
	err := p.makeMountPoint(unix.AT_FDCWD, p.at)
	if err == unix.ENOENT {
		if err = os.MkdirAll(filepath.Dir(p.at), 0o755); err == nil {
			err = p.makeMountPoint(unix.AT_FDCWD, p.at)
		}
	}
	if err != nil {
		return fmt.Errorf("make the place for /%s: %w", p.at, err)
	}
	if p.link != "" {
		return nil // it is the place
	}
	return attach(p.fd, unix.AT_FDCWD, p.at)
}

// attachBeneath is put where the place may be in a folder of the person's: no link is followed.
func (p pendingMount) attachBeneath() error {
	dir, err := openOrMake(filepath.Dir(p.at))
	if err != nil {
		return fmt.Errorf("make the place for /%s: %w", p.at, err)
	}
	defer unix.Close(dir)
	name := filepath.Base(p.at)
	if err := p.makeMountPoint(dir, name); err != nil {
		return fmt.Errorf("make the place for /%s: %w", p.at, err)
	}
	place, err := unix.Openat2(dir, name, &openNoLinks)
	if err != nil {
		return fmt.Errorf("open the place for /%s: %w", p.at, err)
	}
	defer unix.Close(place)
	if err := attach(p.fd, place, ""); err != nil {
		return fmt.Errorf("give /%s: %w", p.at, err)
	}
	return nil
}

// makeMountPoint makes what a mount is attached to, or the link.
func (p pendingMount) makeMountPoint(dir int, name string) (err error) {
	switch {
	case p.link != "":
		return unix.Symlinkat(p.link, dir, name)
	case p.dir:
		err = unix.Mkdirat(dir, name, 0o755)
	default:
		err = unix.Mknodat(dir, name, unix.S_IFREG|0o644, 0)
	}
	if err == unix.EEXIST {
		return nil
	}
	return err
}

// openNoLinks is how places are opened.
var openNoLinks = unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}

// openOrMake opens a folder beneath the working directory. What is missing of it is made.
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
	if p.UID >= 0 { // it has yet to become it
		uid, gid = p.UID, p.GID
	}
	if err := os.MkdirAll("etc", 0o755); err != nil {
		return err
	}
	for name, text := range etcWritten {
		if strings.Contains(text, "%[") {
			text = strings.NewReplacer("%[1]d", fmt.Sprint(uid), "%[2]d", fmt.Sprint(gid)).Replace(text)
		}
		if err := writeFile("etc/"+name, text); err != nil {
			return fmt.Errorf("write /etc/%s: %w", name, err)
		}
	}
	return nil
}

// makeDev makes /dev, with terminals of its own.
func makeDev() error {
	for _, name := range devices {
		fd, err := cloneMount(unix.AT_FDCWD, "/dev/"+name, deviceAttrs)
		if err != nil {
			return err
		}
		if err := (pendingMount{fd: fd, at: "dev/" + name}).attach(); err != nil {
			return err
		}
	}
	for name, to := range devLinks {
		if err := os.Symlink(to, "dev/"+name); err != nil {
			return err
		}
	}
	pts, err := newMount("devpts", deviceAttrs, fsOption{"newinstance", ""}, fsOption{"ptmxmode", "0666"}, fsOption{"mode", "0620"})
	if err != nil {
		return err
	}
	return pendingMount{fd: pts, at: "dev/pts", dir: true}.attach()
}

// makeProcAndTmp makes /proc, /tmp and /dev/shm, which go with the worker.
func makeProcAndTmp(l Limits) error {
	proc, err := newMount("proc", procAttrs)
	if err != nil {
		return fmt.Errorf("%w (a container that hides parts of /proc does not let anybody have one of their own)", err)
	}
	if err := (pendingMount{fd: proc, at: "proc", dir: true}).attach(); err != nil {
		return err
	}
	for _, at := range []string{"tmp", "dev/shm"} {
		fd, err := newTmpfs(l.Tmp, "1777")
		if err != nil {
			return err
		}
		if err := (pendingMount{fd: fd, at: at, dir: true}).attach(); err != nil {
			return err
		}
	}
	if err := os.Mkdir("run", 0o755); err != nil {
		return err
	}
	if err := os.Mkdir("var", 0o755); err != nil {
		return err
	}
	return os.Symlink("/tmp", "var/tmp")
}

// pivotRoot makes the working directory the root, lets go of the host's, and closes the root to writing.
func pivotRoot(root int) error {
	if err := os.MkdirAll(WorkspacesInside[1:], 0o755); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil { // stacked on the old one, as pivot_root(2) has it
		return fmt.Errorf("change the root: pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the host's root: umount2: %w", err)
	}
	attr := unix.MountAttr{Attr_set: readOnlyAttrs}
	if err := unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("close the root to writing: mount_setattr: %w", err)
	}
	return os.Chdir(HomeInside)
}
