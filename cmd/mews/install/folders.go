package install

import (
	"fmt"
	"os"
	"path"
	"syscall"
)

// checkLinks refuses an image in which a part of the service is a link or lies behind one: an
// absolute link leads to this machine's own files.
func (in *Installer) checkLinks() error {
	if !in.machine.image {
		return nil
	}
	l := in.layout
	parts := []string{"/etc/passwd", "/etc/group", "/etc/subuid", "/etc/subgid", l.policy(), l.Config(), l.recordFile(),
		l.unitFile(), l.dropIn(), l.noNamespaces(), appArmorFile, "/usr/local/bin",
		path.Join(versions, in.Version), l.state(), l.homes(),
		path.Clean(wantsFolder)}
	for _, name := range Secrets {
		parts = append(parts, path.Join(l.etc(), name))
	}
	for _, part := range parts {
		for ; part != "/"; part = path.Dir(part) {
			if st, there := in.machine.status(part); there && st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
				return fmt.Errorf(textLinkInRoot, part)
			}
		}
	}
	return nil
}

// checkFolders refuses folders in which somebody else than root could put things.
func (in *Installer) checkFolders() error {
	for _, dir := range []string{path.Dir(versions), versions, in.layout.homes()} {
		if _, err := in.rootsFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// rootsFolder reports whether a folder is there. It must be root's alone.
func (in *Installer) rootsFolder(dir string) (there bool, err error) {
	st, there := in.machine.status(dir)
	if there && (st.Mode&syscall.S_IFMT != syscall.S_IFDIR || !isRoots(st)) {
		err = fmt.Errorf(textNotRoots, dir)
	}
	return there, err
}

// isRoots reports whether only root can write something.
func isRoots(st syscall.Stat_t) bool { return st.Uid == uint32(os.Getuid()) && st.Mode&0o022 == 0 }
