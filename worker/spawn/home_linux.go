package spawn

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// makeHome makes a missing home for the worker's account, if the request asks for it.
func (s *spawner) makeHome(m spawnwire.SpawnRequest, a Account) error {
	if !m.MakeHome || !s.People.Contains(a.UID) && (!s.isPersons(a.UID) || a == s.Account) {
		return nil
	}
	if filepath.Base(m.Path) != m.Path || m.Path == "." || m.Path == ".." {
		return fmt.Errorf("make home %q: want a name without slashes", m.Path)
	}
	return wrap(s.makeMissing(m.Root, m.Path, a), "make home %s", filepath.Join(m.Root, m.Path))
}

// makeMissing makes a folder in root for an account, unless something is there. A spawner that is
// root gives the folder to the account. Any other spawner may not do that, but its children may
// take the account. So a child with that uid and the service's group makes the folder, in a root
// that the group may write to.
func (s *spawner) makeMissing(path, name string, a Account) error {
	_, root, err := s.open(path, ".")
	if err != nil {
		return err
	}
	defer unix.Close(root)
	var st unix.Stat_t
	switch err := unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil:
		return nil
	case s.privilege == sandbox.PrivilegeRoot:
		return makeFor(root, name, a)
	case a.UID == s.own.UID:
		return unix.Mkdirat(root, name, 0o700)
	}
	return sandbox.MakeFolder(root, name, a.UID, s.own.GID)
}

// makeFor makes a folder of an account, as root. The folder gets its name last, so that a folder of
// that name is never root's.
func makeFor(root int, name string, a Account) error {
	temporary := name + ".new"
	if err := unix.Unlinkat(root, temporary, unix.AT_REMOVEDIR); err != nil && err != unix.ENOENT {
		return err
	}
	err := unix.Mkdirat(root, temporary, 0o700)
	if err == nil {
		err = unix.Fchownat(root, temporary, int(a.UID), int(a.GID), unix.AT_SYMLINK_NOFOLLOW)
	}
	if err == nil {
		err = unix.Renameat2(root, temporary, root, name, unix.RENAME_NOREPLACE)
	}
	return err
}
