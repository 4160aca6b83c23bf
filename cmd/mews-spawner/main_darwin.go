package main

import "errors"

// modes are the functions of this program by its only argument. macOS has no walls to build.
var modes = map[string]func() error{"--version": printVersion}

// supervise returns an error: macOS has no accounts for each user.
func supervise([]string) error { return errors.New(textNotOnMacOS) }

// exitStatus returns this program's exit status after err.
func exitStatus(error) int { return 1 }
