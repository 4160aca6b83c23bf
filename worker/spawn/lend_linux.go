package spawn

import (
	"errors"

	"golang.org/x/sys/unix"

	"mews/worker/sandbox"
)

// lentMounts is what a worker is lent, whose account is not that of its folders: mounts in which it
// is. The zero value is nothing.
type lentMounts struct{ mounts []int }

// close closes the mounts.
func (l *lentMounts) close() error {
	var err error
	for _, fd := range l.mounts {
		err = errors.Join(err, unix.Close(fd))
	}
	l.mounts = nil
	return err
}

// lend lends a person without an account the writable folders of a plan, where the home belongs to
// the account that people share: they find there what that account would, and what they make is
// its. A home of the person's own stays as it is. On an error nothing is lent.
func (s *spawner) lend(p *sandbox.Plan, home int, owner uint32, a Account) (l lentMounts, err error) {
	namespace, err := sandbox.OpenSwapped([2]int{int(s.Account.UID), int(a.UID)}, [2]int{int(s.Account.GID), int(a.GID)})
	if err != nil {
		return l, err
	}
	defer unix.Close(namespace)
	add := func(b *sandbox.Bind, folder int) error {
		mount, err := b.Lend(folder, namespace, len(l.mounts))
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
			_, folder, bad := sandbox.Open(b.Root, b.Path)
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
