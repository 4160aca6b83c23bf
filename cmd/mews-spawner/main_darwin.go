package main

import "errors"

// modes are what this program is when it executes itself: macOS's own program builds its walls.
var modes = map[string]func() error{"--version": printVersion}

// supervise is for a service manager that gives people accounts of their own.
func supervise([]string) error {
	return errors.New("on macOS workers have the account of their service: mews is started itself, and starts mews-spawner")
}

// exitStatus is a program's exit status after err.
func exitStatus(error) int { return 1 }
