package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mews/supervisor"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
)

// becomeOwner makes this process act as the account that owns the state folder, until the caller
// calls asBefore. Only root may act as another account. If work may touch homes, root first starts
// the spawner, which then has the rights for the homes of other accounts.
func (s *service) becomeOwner(ctx context.Context, homes bool) (asBefore func() error, err error) {
	asBefore = func() error { return nil }
	owner, there, err := stateOwner(s.config.State)
	if err != nil || !there || owner.UID == uint32(os.Getuid()) {
		return asBefore, err
	}
	if os.Getuid() != 0 {
		return nil, &supervisor.Error{Code: supervisor.CodeForbidden,
			Message: fmt.Sprintf(textOtherAccount, s.config.State, owner.UID, owner.UID)}
	}
	if homes {
		if err := s.startRootSpawner(ctx, owner); err != nil {
			return nil, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(textNoWorkers, err),
				Err: err}
		}
	}
	return actAs(owner)
}

// stateOwner returns the owner of the state folder. there is false if the folder does not exist.
func stateOwner(state string) (owner placement.Account, there bool, err error) {
	info, err := os.Stat(filepath.Join(state, "private"))
	if err != nil {
		info, err = os.Stat(state)
	}
	if err != nil { // a missing folder is no error here; any other error appears when the folder is opened
		return owner, false, nil
	}
	owner, err = placement.OwnerOf(info)
	return owner, true, err
}

// startRootSpawner starts the spawner as root. Workers of users without an account run as the
// owner.
func (s *service) startRootSpawner(ctx context.Context, owner placement.Account) error {
	o, err := PlacementOptions(s.config, s.log).SpawnerOptions(owner)
	if err != nil {
		return err
	}
	o.Log = s.log
	if s.rootSpawner, err = pool.StartSpawner(ctx, o); err != nil {
		return placement.SandboxError(err)
	}
	s.addCloser(s.rootSpawner.Close)
	return nil
}
