package main

import (
	"context"
	"fmt"
	"mews/supervisor/app"
	"mews/supervisor/placement"
	"os"

	"mews/config"
	"mews/supervisor/control"
)

// wallsOfService are those of the service that runs, if one does and tells: its spawner may be one that a service manager has
// started, which may do what one of the doctor's own may not.
func wallsOfService(ctx context.Context, cfg *config.Config) (walls control.Walls, runs bool) {
	var status control.Status
	err := control.Ask(ctx, app.SocketPath(cfg), control.MethodStatus, nil, &status)
	return status.Walls, err == nil
}

// sealOfService looks at the key of a service that runs as another account, as which only root can look. It says whether it
// is one.
func sealOfService(cfg *config.Config, path string) (finding string, is bool, err error) {
	state, err := os.Stat(cfg.State)
	if err != nil || os.Getuid() != 0 || placement.UIDOf(state) == 0 {
		return "", false, nil
	}
	key, err := os.Lstat(path)
	if err != nil {
		return "", false, nil // which is told as everywhere
	}
	service := placement.UIDOf(state)
	if placement.UIDOf(key) != service || key.Mode().Perm()&0o077 != 0 {
		return "", true, fmt.Errorf("%s must be the service's, and nobody else's to read: chown %d it, chmod 600", path, service)
	}
	return fmt.Sprintf("%s can be read by the service's account alone, user id %d", path, service), true, nil
}
