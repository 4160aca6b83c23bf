package app

import (
	"path/filepath"

	"mews/config"
)

// SocketPath is where the control socket of a state folder is.
func SocketPath(cfg *config.Config) string { return filepath.Join(cfg.State, "control.sock") }
