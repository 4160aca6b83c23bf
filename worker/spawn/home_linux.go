package spawn

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// makeHome makes a missing home for the worker's account, if the request asks for it. A spawner
// that is root gives the home to the account. Any other spawner may not do that, but its children
// may take the account. So a child with that uid and the service's group makes the home, in a
// folder that the group may write to.
func (s *spawner) makeHome(m spawnwire.SpawnRequest, a Account) error {
	if !m.MakeHome || !s.People.Contains(a.UID) && (!s.UIDs.Contains(a.UID) || a == s.Account) {
		return nil
	}
	if filepath.Base(m.Path) != m.Path || m.Path == "." || m.Path == ".." {
		return fmt.Errorf("make home %q: want a name without slashes", m.Path)
	}
	_, root, err := s.open(m.Root, ".")
	if err != nil {
		return fmt.Errorf("make home %q: %w", m.Path, err)
	}
	defer unix.Close(root)
	var st unix.Stat_t
	if err := unix.Fstatat(root, m.Path, &st, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		return nil
	}
	if s.privilege == sandbox.PrivilegeRoot {
		if err = unix.Mkdirat(root, m.Path, 0o700); err == nil {
			err = unix.Fchownat(root, m.Path, int(a.UID), int(a.GID), unix.AT_SYMLINK_NOFOLLOW)
		}
	} else {
		err = sandbox.MakeFolder(root, m.Path, a.UID, s.own.GID)
	}
	return wrap(err, "make home %s", filepath.Join(m.Root, m.Path))
}
