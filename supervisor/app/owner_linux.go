package app

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"mews/supervisor/placement"
)

// actAs makes this process of root act as another account. The saved user id stays root's, so that
// asBefore can make the process root again (credentials(7)).
func actAs(a placement.Account) (asBefore func() error, err error) {
	groups, err := os.Getgroups()
	if err != nil {
		return nil, fmt.Errorf("act as user id %d: %w", a.UID, err)
	}
	asBefore = func() error {
		err := errors.Join(syscall.Setresuid(0, 0, 0), syscall.Setresgid(0, 0, 0), syscall.Setgroups(groups))
		if err != nil {
			return fmt.Errorf("act as root again: %w", err)
		}
		return nil
	}
	uid, gid := int(a.UID), int(a.GID)
	for _, set := range []func() error{
		func() error { return syscall.Setgroups(nil) },
		func() error { return syscall.Setresgid(gid, gid, 0) },
		func() error { return syscall.Setresuid(uid, uid, 0) },
	} {
		if err := set(); err != nil {
			return nil, errors.Join(fmt.Errorf("act as user id %d: %w", a.UID, err), asBefore())
		}
	}
	return asBefore, nil
}
