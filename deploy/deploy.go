// Package deploy holds the files from which `mews install` makes a service.
package deploy

import "embed"

// Files are the unit with its drop-ins, the spawner's policy, the example configuration and the
// AppArmor profile, by their paths below this folder.
//
//go:embed mews.example.yaml spawner.policy systemd apparmor
var Files embed.FS
