package app

import (
	"path/filepath"

	"mews/config"
)

// SocketPath returns the path of a service's control socket.
func SocketPath(cfg *config.Config) string { return filepath.Join(cfg.State, "control.sock") }
