package spawn

import (
	"errors"

	"golang.org/x/sys/unix"

	"mews/worker/sandbox"
)

// sharedMounts are mounts that share folders with a worker of another account. In these mounts the
// folders belong to the worker's own uid. The zero value has no mounts.
type sharedMounts struct{ mounts []int }

// close closes the mounts.
func (l *sharedMounts) close() error {
	var err error
	for _, fd := range l.mounts {
		err = errors.Join(err, unix.Close(fd))
	}
	l.mounts = nil
	return err
}

// lendFolders shares the writable folders of a plan with a user without an account, if the home
// belongs to the shared account. There the worker has the shared account's access, and new files
// belong to the shared account. A home that belongs to the user's own account is not shared. After
// an error no folder is shared.
func (s *spawner) lendFolders(p *sandbox.Plan, home int, owner uint32, a Account) (l sharedMounts, err error) {
	namespace, err := sandbox.OpenIDSwapNamespace([2]int{int(s.Account.UID), int(a.UID)}, [2]int{int(s.Account.GID),
		int(a.GID)})
	if err != nil {
		return l, err
	}
	defer unix.Close(namespace)
	add := func(b *sandbox.BindMount, folder int) error {
		mount, err := b.CloneMount(folder, namespace, len(l.mounts))
		if err == nil {
			l.mounts = append(l.mounts, mount)
		}
		return err
	}
	if owner == s.Account.UID {
		err = add(&p.Home, home)
	}
	for i := range p.Binds {
		if b := &p.Binds[i]; err == nil && b.Writable {
			_, folder, bad := sandbox.OpenBindMount(b.Root, b.Path)
			if err = bad; err == nil {
				err = errors.Join(add(b, folder), unix.Close(folder))
			}
		}
	}
	if err != nil {
		err = errors.Join(err, l.close())
		p.Home.Mount = 0
		for i := range p.Binds {
			p.Binds[i].Mount = 0
		}
	}
	return l, err
}
